"""`Split`: which part of δ each way of adding up is given in mode mixed."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, checked, frozen


@frozen(kw_only=True)
class Split:
    """Shares of a total's δ; what they leave over is not used.

    Args:
        approximate: for the sum of ε and δ. Pure releases add up by ε even if it is 0.
        zcdp: for turning the sum of ρ into ε.
        leaks: for the δ of releases that are added up by ρ.
        gdp: for the sum of μ².

    Raises:
        InvalidParameter: a share is not in [0, 1], or they are more than 1 together.

    Example:
        >>> Split(zcdp="0.9", leaks="0.1").approximate
        Fraction(0, 1)
    """

    approximate: Number = checked(_check.probability, default=0)
    zcdp: Number = checked(_check.probability, default=0)
    leaks: Number = checked(_check.probability, default=0)
    gdp: Number = checked(_check.probability, default=0)

    def __post_init__(self) -> None:
        shares = dict(self)
        if sum(shares.values()) > 1 or not any(shares.values()):
            raise _check.refuse(
                "`split` must be shares of δ, above 0 and at most 1 together",
                ", ".join(f"{name} {share}" for name, share in shares.items() if share) or "none",
                "Write for example {'approximate': '0.1', 'zcdp': '0.8', 'leaks': '0.1'}.",
            )
        if self.leaks and not self.zcdp:
            raise _check.refuse(
                "`leaks` must go with a share for zcdp",
                "leaks alone",
                "They are the δ of releases that are added up by ρ.",
            )

    def __iter__(self) -> Iterator[tuple[str, Fraction]]:
        return ((each.name, getattr(self, each.name)) for each in fields(self))


def checked_split(value: Split | Mapping[str, Exact] | None) -> Split | None:
    """A split, also as shares by name.

    Raises:
        InvalidParameter: it is neither.
    """
    if value is None or isinstance(value, Split):
        return value
    names, known = [each.name for each in fields(Split)], dict(value) if _is_mapping(value) else {}
    if known and set(known) <= set(names):
        return Split(**known)
    raise _check.refuse(
        f"`split` must be shares of δ for {', '.join(names)}",
        _check.shown(value),
        "Leave it out if in doubt: the first charge settles it then.",
    )


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


EVEN = Split(approximate=Fraction(1, 2), zcdp=Fraction(1, 4), leaks=Fraction(1, 4))
"""For first charges that have an ε and nothing else."""

FOLLOWING = (
    Split(approximate=Fraction(1, 5), zcdp=Fraction(7, 10), leaks=Fraction(1, 10)),
    Split(approximate=Fraction(1, 5), zcdp=Fraction(2, 5), leaks=Fraction(2, 5)),
    Split(
        approximate=Fraction(1, 10),
        zcdp=Fraction(3, 20),
        leaks=Fraction(1, 20),
        gdp=Fraction(7, 10),
    ),
)
"""For first charges by ρ, by ρ with a δ, and by μ: each leaves the others something."""
