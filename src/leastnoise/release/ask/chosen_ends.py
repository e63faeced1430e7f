"""Ends of a column's range that are chosen from the data, and the public grid that tells them."""

from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.named_bounds import AUTO

_FARTHEST, _NEAREST = 24, -4  # binary exponents of the knots
_PER_DOUBLING = 4
VALUE_GRID = Grid(lower=-(2**_FARTHEST), upper=2**_FARTHEST, bits=7)
"""Where values are looked for; nothing of it depends on the data."""
TOLD_APART = Fraction(1, 2**20)
"""A range that is chosen is at least so wide, next to how far it is from 0."""


def value_knots() -> tuple[int, ...]:
    """Places of 0 and ±2^(i/4), from 2^−4 to 2^24, on the grid."""
    exponents = range(_PER_DOUBLING * _NEAREST, _PER_DOUBLING * _FARTHEST + 1)
    above = [round(2 ** (each / _PER_DOUBLING + VALUE_GRID.bits)) for each in exponents]
    return (*(-each for each in reversed(above)), 0, *above)


@dataclass(frozen=True)
class ChosenEnds:
    """Which ends of a range are chosen from the data.

    Attributes:
        names: of 'lower' and 'upper'.
        found: whether they are chosen already.
    """

    names: tuple[str, ...] = ()
    found: bool = False

    def words(self, grid: Grid) -> str:
        """What values are cut to, for readers."""
        ends = {"lower": f"{float(grid.lower):g}", "upper": f"{float(grid.upper):g}"}
        if not self.names:
            return f"{ends['lower']} … {ends['upper']}"
        named = " and ".join(self.names)
        if self.found:
            how = "was" if len(self.names) == 1 else "were"
            return f"{ends['lower']} … {ends['upper']} ({named} {how} chosen from noisy numbers)"
        given = [f"{name} {end}" for name, end in ends.items() if name not in self.names]
        return ", ".join([f"a range ({named} chosen from the data)", *given])


NONE_CHOSEN = ChosenEnds()
"""Of a range that is given."""


def chosen_ends(lower: Exact, upper: Exact, clip: Clip | None) -> ChosenEnds:
    """Which ends are to be chosen, as users say it.

    Raises:
        InvalidParameter: another word; or an end is to be chosen beside a clip.
    """
    names = tuple(name for name, end in (("lower", lower), ("upper", upper)) if _is_open(end, name))
    if names and clip is not None:
        raise _check.refuse(
            "bounds of values cannot be chosen beside a clip",
            f"{names[0]}='auto' with a clip",
            "Give them, or give max_groups and max_rows in place of the clip.",
        )
    return ChosenEnds(names)


def first_range(lower: Exact, upper: Exact, ends: ChosenEnds) -> tuple[Exact, Exact]:
    """The range that errors are told for before one is chosen: 0 … 1, beside what is given.

    Raises:
        InvalidParameter: the end that is given leaves no room for the other.
    """
    if not ends.names:
        return lower, upper
    if len(ends.names) == 2:
        return 0, 1
    if ends.names == ("lower",):
        high = _check.rational(upper, "upper")
        _refuse_no_room(VALUE_GRID.lower, high, f"upper={_check.shown(upper)}")
        return min(Fraction(0), high - _wide(high)), high
    low = _check.rational(lower, "lower")
    _refuse_no_room(low, VALUE_GRID.upper, f"lower={_check.shown(lower)}")
    return low, max(Fraction(1), low + _wide(low))


def _wide(end: Fraction) -> Fraction:
    return max(Fraction(1), abs(end) / 2)


def _refuse_no_room(low: Fraction, high: Fraction, found: str) -> None:
    if high - low >= TOLD_APART * max(abs(low), abs(high)):
        return
    most = f"{int(VALUE_GRID.upper):,}"
    raise _check.refuse(
        f"the bound that is given must leave room for one from −{most} to {most}",
        found,
        "Give both, or ask about the column in larger units.",
    )


def _is_open(end: Exact, name: str) -> bool:
    if not isinstance(end, str) or any(map(str.isdigit, end)):
        return False
    if end == AUTO:
        return True
    raise _check.refuse(
        f"`{name}` must be a number or 'auto'", _check.shown(end), f"Write {name} = 8, say."
    )
