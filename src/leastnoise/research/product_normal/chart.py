"""`Chart` and `Disc`: the variable in which a divergence of products is integrated, and where."""

from functools import cached_property

from flint import arb, arb_series

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Chart:
    r"""How the factors of y = pq move with a variable, at a fixed t.

    p = (s + u·δ)·e^t and q = (s + v·δ)·e^−t. Either both factors move, u = v = 1, and s + δ = √|y|;
    or one of them does, at the rate 1/s, and s² + δ = |y|. So exponents are polynomials of degree 2
    in δ. With the larger factor at rest they hardly differ from one t to another, as long as the
    noise of the other factor dominates; far out, where both factors are large, √|y| is better.

    Args:
        first_moves: whether p does.
        second_moves: whether q does.
    """

    first_moves: bool
    second_moves: bool

    @property
    def is_root(self) -> bool:
        """Whether the variable is √|y| and not |y|."""
        return self.first_moves and self.second_moves

    def measure(self, centre: float, terms: int) -> arb_series:
        """What turns φ into a density of the variable: w/π, or 1/(2π)."""
        if self.is_root:
            return arb_series([arb(centre), arb(1)], prec=terms) / arb.pi()
        return arb_series([1 / (2 * arb.pi())], prec=terms)


ROOT = Chart(first_moves=True, second_moves=True)
FIRST_AT_REST = Chart(first_moves=False, second_moves=True)
SECOND_AT_REST = Chart(first_moves=True, second_moves=False)


@dataclass(frozen=True)
class Disc:
    """All complex values within `radius` of `centre` of a chart's variable; both floats exact."""

    chart: Chart
    centre: float
    radius: float

    @cached_property
    def root(self) -> arb:
        """The s of the chart at the centre."""
        return arb(self.centre) if self.chart.is_root else arb(self.centre).sqrt()

    @cached_property
    def speeds(self) -> tuple[arb, arb]:
        """The rates u and v."""
        rate = arb(1) if self.chart.is_root else 1 / self.root
        return rate * self.chart.first_moves, rate * self.chart.second_moves

    @cached_property
    def floats(self) -> tuple[float, float, float]:
        """The same three as floats, rounded."""
        return float(self.root), float(self.speeds[0]), float(self.speeds[1])

    @property
    def flipped(self) -> "Disc":
        """The same for −t, with the factors exchanged."""
        chart = Chart(self.chart.second_moves, self.chart.first_moves)
        return Disc(chart, self.centre, self.radius)
