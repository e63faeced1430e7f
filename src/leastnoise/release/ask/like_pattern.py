"""Patterns of LIKE whose escape is another than ours."""

from leastnoise import _check

_SIGNS = frozenset("%_")


def with_tildes(pattern: str, escape: str) -> str:
    """The same pattern with ~ as its escape.

    Raises:
        InvalidParameter: the escape is no single sign, is % or _, or stands before another sign
            than %, _ or itself: engines differ on such patterns, or fail.

    Example:
        >>> with_tildes("50!% of ~_!!", "!")
        '50~% of ~~_!'
    """
    if len(escape) != 1 or escape in _SIGNS:
        raise _check.refuse(
            "an escape must be one sign other than % and _", _check.shown(escape), "Take '!'."
        )
    found, letters = [], iter(str(pattern))
    for letter in letters:
        if letter != escape:
            found.append("~~" if letter == "~" else letter)
            continue
        plain = next(letters, "")
        if plain not in {*_SIGNS, escape}:
            raise _check.refuse(
                f"{escape!r} must stand before %, _ or itself in a pattern",
                f"{plain!r} behind it" if plain else "nothing behind it",
                "Write it twice where it is meant itself.",
            )
        found.append(f"~{plain}" if plain in _SIGNS or plain == "~" else plain)
    return "".join(found)
