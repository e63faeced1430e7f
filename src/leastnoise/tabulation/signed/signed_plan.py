"""`SignedPlan`: which signed tables are measured with which noise, and what that makes of cells."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.tabulation.residuals.residual_workload import (
    AttributeSet,
    Marginal,
    ResidualWorkload,
)
from leastnoise.tabulation.signed.block_laplace import BlockLaplace
from leastnoise.tabulation.signed.block_variance import block_variances
from leastnoise.tabulation.signed.cell_margin import even_margin, smooth_margin
from leastnoise.tabulation.signed.signed_search import SignedChoice
from leastnoise.tabulation.signed.signed_sources import cell_shares, told_residuals
from leastnoise.tabulation.signed.signed_table import SignedTable

_GRID = 1 << 24
_NO_NOISE = 1e-290  # floats hold no less, and what is left out is weighed by its inverse


@dataclass(frozen=True)
class SignedGroup:
    """Tables that share one draw of noise, and how fast its probability falls."""

    tables: tuple[SignedTable, ...]
    rate: Fraction


@dataclass(frozen=True)
class SignedPlan:
    """Groups of signed tables, each with joint noise of its own.

    Args:
        workload: what is wanted.
        signs: the attributes that are signs wherever they occur.
        groups: what is measured; each residual wanted follows from at least one table.
    """

    workload: ResidualWorkload
    signs: AttributeSet
    groups: tuple[SignedGroup, ...]

    @classmethod
    def of(cls, workload: ResidualWorkload, choice: SignedChoice, rate: Fraction) -> "SignedPlan":
        """Shares of the rate as fractions with a short denominator, which add up to 1 exactly."""
        parts = [max(1, int(share * _GRID)) for share in choice.shares]
        parts[parts.index(max(parts))] += _GRID - sum(parts)
        groups = [
            SignedGroup(tables, rate * Fraction(part, _GRID))
            for tables, part in zip(choice.groups, parts, strict=True)
        ]
        return cls(workload, choice.signs, tuple(groups))

    @cached_property
    def laws(self) -> tuple[BlockLaplace, ...]:
        """The noise of each group."""
        return tuple(
            BlockLaplace(tuple(table.width(self.workload) for table in group.tables), group.rate)
            for group in self.groups
        )

    @cached_property
    def variances(self) -> dict[SignedTable, float]:
        """The variance of each number of a table; a little of it is left at every rate."""
        return {
            table: max(block_variances(law)[width], _NO_NOISE)
            for group, law in zip(self.groups, self.laws, strict=True)
            for table, width in zip(group.tables, law.widths, strict=True)
        }

    @cached_property
    def weights(self) -> dict[AttributeSet, tuple[tuple[SignedTable, float], ...]]:
        """By residual: the tables that tell of it, with their weights in its least-squares mean."""
        found: dict[AttributeSet, list[tuple[SignedTable, float]]] = {}
        for table, variance in self.variances.items():
            for subset, summed in told_residuals(self.workload, table):
                found.setdefault(subset, []).append((table, 1 / (variance * summed)))
        return {
            subset: tuple((table, one / sum(w for _, w in told)) for table, one in told)
            for subset, told in found.items()
        }

    @cached_property
    def _told(self) -> dict[AttributeSet, tuple[float, float]]:
        """By residual, of each sum that it is taken of: its variance, and Σ a² of its numbers."""
        summed = {table: dict(told_residuals(self.workload, table)) for table in self.variances}
        found = {}
        for subset, told in self.weights.items():
            squares = [(table, weight**2 * summed[table][subset]) for table, weight in told]
            variance = sum(square * self.variances[table] for table, square in squares)
            found[subset] = variance, sum(square for _, square in squares)
        return found

    def _cell(self, places: AttributeSet) -> tuple[float, float]:
        """The variance of each cell of a marginal, and Σ a² of its numbers."""
        shares = list(cell_shares(self.workload, self.signs, places))
        variance = sum(share * self._told[subset][0] for subset, share in shares)
        return variance, sum(share * self._told[subset][1] for subset, share in shares)

    def variance(self, marginal: Marginal | str) -> float:
        """The variance of each cell of a marginal; the same for all its cells."""
        return self._cell(self.workload.measured(marginal))[0]

    def error(self, marginal: Marginal | str, *, confidence: Exact) -> float:
        """An error that a cell exceeds with at most the remaining probability."""
        places, chance = self.workload.measured(marginal), _check.confidence(confidence)
        signed = sum(place in self.signs for place in places)
        (law, *others) = self.laws
        if law.is_even and not others:
            return even_margin(law, 1 << signed, float(chance))
        variance, squares = self._cell(places)
        return smooth_margin(variance, squares, 0.5**signed, float(chance))

    def expected_cost(self) -> float:
        """The weighted sum of the variances of all cells."""
        return sum(float(weight) * cells * self.variance(name) for name, weight, cells in self._all)

    @property
    def _all(self) -> Iterator[tuple[Marginal, Fraction, int]]:
        for (name, weight), places in zip(self.workload.marginals, self.workload.sets, strict=True):
            yield name, weight, self.workload.cells(places)
