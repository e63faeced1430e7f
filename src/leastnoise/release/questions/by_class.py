"""`ByClass`: protocols that are looked for once in each class of questions."""

from typing import Protocol

_FOUND: dict[tuple[type, type], bool] = {}


class ByClass(type(Protocol)):  # type: ignore[misc]  # what all protocols are made by
    """`isinstance` looks at every value of a protocol anew, part by part, which takes long.

    All questions of a class have the same parts: what is found of the first holds of all.
    """

    def __instancecheck__(cls, value: object) -> bool:
        pair = type(value), cls
        if pair not in _FOUND:
            _FOUND[pair] = super().__instancecheck__(value)
        return _FOUND[pair]
