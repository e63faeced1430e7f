"""A check for yes-or-no parameters."""

from leastnoise._check import refuse


def checked_flag(value: bool, name: str) -> bool:
    """True or False; nothing is taken for one of them."""
    if isinstance(value, bool):
        return value
    raise refuse(
        f"`{name}` must be True or False", f"a {type(value).__name__}", "Give one of them."
    )
