"""`worst_case_error`: how far off the worst of many counts will be."""

from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.tabulation.neighbours import NeighboursName, checked_neighbours
from leastnoise.tabulation.noise_family import NoiseFamily, NoiseName, checked_family
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.ranking import ranking
from leastnoise.tabulation.target import checked_target


def worst_case_error(  # noqa: PLR0913 - public facts, each by its name
    *,
    columns: SupportsIndex,
    confidence: Exact,
    epsilon: Exact | None = None,
    delta: Exact = 0,
    guarantee: Guarantee | None = None,
    neighbours: NeighboursName = "replace",
    mechanism: NoiseName | NoiseFamily | None = None,
) -> Interval:
    r"""The error of counts that all columns stay within at once, whatever the number of rows.

    Promise the upper end. The mean of a column of n bits is then off by at most that over n, and
    the mean of a column of ±1 by twice as much.

    Args:
        columns: the number of columns, at least 1.
        confidence: the probability that no column's error is larger.
        epsilon: ε, together with `delta`; or give a `guarantee`.
        delta: δ.
        guarantee: a `PureDP`, an `ApproxDP` or a `ZCDP`.
        neighbours: "replace" or "add_remove".
        mechanism: the kind of noise; by default the one with the least expected worst error.

    Example:
        >>> from fractions import Fraction
        >>> error = worst_case_error(columns=100, confidence="0.95", epsilon=1)
        >>> error, 2 * error.upper / Fraction("0.05")  # rows for ±1-means within 0.05
        (Interval(117), Fraction(4680, 1))
        >>> worst_case_error(columns=100, confidence="0.95", epsilon=1, mechanism="laplace")
        Interval(758)
    """
    relation = checked_neighbours(neighbours, 1 if neighbours == "replace" else None)
    ranked = ranking(
        _check.integer_between(columns, "columns", 1),
        checked_target(epsilon=epsilon, delta=delta, guarantee=guarantee),
        relation,
        Objective.MAX,
        None if mechanism is None else checked_family(mechanism),
    )
    return ranked[0].perturbation.worst.quantile(confidence)
