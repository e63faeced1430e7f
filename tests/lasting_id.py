"""Names of test cases that are the same in every process."""

import re


def lasting_id(value: object) -> str:
    """The value's repr without memory addresses; sets in their order."""
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__} of {sorted(map(repr, value))}"
    text = value if isinstance(value, str) else repr(value)
    return re.sub(r" at 0x[0-9a-f]+", "", text)
