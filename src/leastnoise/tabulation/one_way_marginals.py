"""`OneWayMarginals`: the counts of ones of all columns of a table, released at once."""

from dataclasses import KW_ONLY
from typing import SupportsIndex, assert_never

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.release import Release
from leastnoise.noise.laws.identity import Rebuilt
from leastnoise.noise.shapes.shape import Draws
from leastnoise.numeric.exact_sum import exact_sum
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.randomness.source import Source, checked_source
from leastnoise.tabulation.neighbours import AddRemove, Neighbours, ReplaceOne
from leastnoise.tabulation.noise_family import Target
from leastnoise.tabulation.noisy_marginals import NoisyMarginals
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.summed_columns import ColumnSums


@dataclass(frozen=True, repr=False)
class OneWayMarginals(Rebuilt):
    r"""Noisy counts of ones, made from public facts alone; the data comes with `release`.

    Theorem: for all tables of bits and neighbours of the stated kind, the release has the stated
    guarantee. Replacing, adding or removing a row moves every count of ones by at most 1; adding
    or removing one moves the number of rows by 1, and so every sum of ±1 by exactly 1.
    Proof: docs/proofs/marginals.md, sections 1 and 2.

    Make one with `marginals_mechanism`, which chooses the noise.

    Args:
        perturbation: the noise.
        neighbours: `ReplaceOne(records=…)` or `AddRemove()`.
        guarantee: what is promised: a `PureDP`, an `ApproxDP` or a `ZCDP`.

    Raises:
        InvalidParameter: the guarantee is not proved for this noise.

    Example:
        >>> from leastnoise.tabulation.cube_noise import CubeNoise
        >>> from leastnoise.privacy.guarantee import PureDP
        >>> mechanism = OneWayMarginals(
        ...     Perturbation(CubeNoise(columns=3, scale=1)),
        ...     neighbours=ReplaceOne(records=100),
        ...     guarantee=PureDP(epsilon=1),
        ... )
        >>> mechanism.error(confidence="0.95")
        Interval(6)
        >>> release = mechanism.release(ColumnSums([40, 0, 99], records=100))
        >>> release.value.records, len(release.value.counts)
        (100, 3)
    """

    perturbation: Perturbation
    _: KW_ONLY
    neighbours: Neighbours
    guarantee: Target

    def __post_init__(self) -> None:
        if self.perturbation.offset is not None and isinstance(self.neighbours, ReplaceOne):
            raise _check.refuse(
                "`perturbation` must leave the number of rows alone if rows are replaced",
                f"{self.perturbation!r}, with noise for it",
                "The number is public then: leave the offset out.",
            )
        if not self.perturbation.keeps(self.guarantee):
            raise _check.refuse(
                "`perturbation` must be proved to keep the guarantee",
                f"{self.perturbation!r} for {self.guarantee!r}",
                "Take more noise, or let `marginals_mechanism` choose it.",
            )

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self.perturbation.noise.columns

    @property
    def hides_records(self) -> bool:
        """Whether the number of rows is secret."""
        return isinstance(self.neighbours, AddRemove)

    # Errors, known before any data is

    def error(self, confidence: Exact) -> Interval:
        """The error of counts that all columns stay within at once, with this probability.

        Promise the upper end. A confidence of 1 asks for the hard limit that bounded noise has.
        """
        return self.perturbation.worst.quantile(confidence)

    def single_error(self, confidence: Exact) -> Interval:
        """The error of a count that any one given column stays within, with this probability."""
        return self.perturbation.single.quantile(confidence)

    def expected_cost(self, objective: Objective = Objective.MAX) -> Interval:
        """The expected error of the counts, the same for all tables."""
        return self.perturbation.cost(objective)

    def certificate(self) -> None:
        """None for now."""

    def privacy(self, distance: SupportsIndex = 1) -> PrivacyLoss:
        """The price of one release if up to `distance` rows are changed."""
        return self.perturbation.privacy(_check.integer_between(distance, "distance", 1))

    def release(self, value: ColumnSums, source: Source | None = None) -> Release[NoisyMarginals]:
        """Noisy counts from the exact column sums.

        Raises:
            InvalidParameter: not the sums of a table of this form. Nothing has been drawn then.
        """
        source = checked_source(source)
        self._require_fit(value)
        offset, noise = self.perturbation.offset, self.perturbation.noise
        if offset is None:
            counts = exact_sum(value.ones, noise.sample(source))
            noisy = NoisyMarginals(counts, 1, self._public_records)
        else:
            rows = value.records + offset.sample(source=source)
            sums = exact_sum(_signed_sums(value), noise.sample(source))
            noisy = NoisyMarginals(exact_sum(sums, rows), 2, rows)
        return Release(noisy, self.guarantee, repr(self))

    @property
    def _public_records(self) -> int | None:
        match self.neighbours:
            case ReplaceOne(records=records):
                return records
            case AddRemove():
                return None
            case _:
                assert_never(self.neighbours)

    def _require_fit(self, sums: ColumnSums) -> None:
        if not isinstance(sums, ColumnSums):
            raise _check.refuse(
                "`value` must be column sums",
                f"a {type(sums).__name__}",
                "Count the ones with column_sums(bits), or make a ColumnSums of your own counts.",
            )
        if sums.columns != self.columns:
            raise _check.refuse(
                f"`value` must be the sums of columns={self.columns} columns",
                f"{sums.columns} of them",
                "Make the mechanism for the number of columns there are.",
            )
        if self._public_records not in (None, sums.records):
            raise _check.refuse(
                f"`value` must be the sums of records={self._public_records} rows",
                "another number of rows (not shown: it is data)",
                "The number of rows is public and part of the mechanism: state it there.",
            )


def _signed_sums(sums: ColumnSums) -> Draws:
    """The sums of ±1: how many more ones than zeros each column has."""
    return exact_sum(exact_sum(sums.ones, sums.ones), -sums.records)
