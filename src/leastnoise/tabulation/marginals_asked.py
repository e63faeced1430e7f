"""`marginals`: the counts of ones of all columns of a table of bits, with the least noise."""

from typing import Any, SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.randomness.source import Source, checked_source
from leastnoise.tabulation.bit_table import bit_table
from leastnoise.tabulation.marginals_release import MarginalsRelease
from leastnoise.tabulation.neighbours import Neighbours, NeighboursName, checked_neighbours
from leastnoise.tabulation.noise_family import NoiseFamily, NoiseName, checked_family
from leastnoise.tabulation.objective import Objective, ObjectiveName, checked_objective
from leastnoise.tabulation.one_way_marginals import OneWayMarginals
from leastnoise.tabulation.ranking import ranking
from leastnoise.tabulation.target import checked_target


def marginals(  # noqa: PLR0913 - each has its own meaning, and most may be left out
    bits: Any,
    *,
    epsilon: Exact | None = None,
    delta: Exact = 0,
    guarantee: Guarantee | None = None,
    objective: ObjectiveName | Objective = "max",
    neighbours: NeighboursName = "replace",
    mechanism: NoiseName | NoiseFamily | None = None,
    signs: bool = False,
    source: Source | None = None,
) -> MarginalsRelease:
    r"""Noisy counts of ones of all columns, by the mechanism with the least expected error.

    The mechanism and its errors are fixed by public facts before an entry of the table is read.

    With neighbours="replace" two tables are neighbours if they differ in one row; the number of
    rows is public. With "add_remove" one has a row more; the number of rows is secret. It is then
    released with noise too, from eight columns on always, as that halves the noise of the counts,
    and means can be had. An empty table is a table like any other then.

    Args:
        bits: one row per record and one column per question, of booleans or integers 0 and 1:
            a NumPy array, nested lists, an Arrow table or record batch; or its `ColumnSums`.
        epsilon: ε, together with `delta`; or give a `guarantee`.
        delta: δ.
        guarantee: a `PureDP`, an `ApproxDP` or a `ZCDP`.
        objective: what to make small: "max", the worst column; "average" or "squared", the mean
            over the columns of the magnitude or of the square of the error.
        neighbours: "replace" or "add_remove".
        mechanism: the kind of noise, if it shall not be chosen by expected error: "cube",
            "laplace", "gaussian", "bounded" or "repaired".
        signs: whether the entries are −1 and 1.
        source: where the noise comes from.

    Raises:
        InvalidParameter: an argument breaks a rule, or `bits` is no such table. Nothing has been
            drawn then, and the message does not show data.
        UnsupportedQuery: the kind of noise cannot meet the guarantee.

    References: SteinkeUllman2016.

    Example:
        >>> import numpy as np
        >>> bits = np.zeros((5000, 300), dtype=bool)
        >>> release = marginals(bits, epsilon=1, delta="1e-6", objective="max")
        >>> limit = release.error(confidence=1)  # bounded noise: never exceeded
        >>> limit.upper <= 280, bool(abs(release.counts).max() <= limit.upper)
        (True, True)
    """
    source = checked_source(source)
    goal, target = (
        checked_objective(objective),
        checked_target(epsilon=epsilon, delta=delta, guarantee=guarantee),
    )
    kind = None if mechanism is None else checked_family(mechanism)
    table = bit_table(bits, signs=signs)
    public = table.records if neighbours == "replace" else None
    relation = checked_neighbours(neighbours, public)
    ranked = ranking(table.columns, target, relation, goal, kind)
    chosen = OneWayMarginals(ranked[0].perturbation, neighbours=relation, guarantee=target)
    sums = table.sums()
    noisy = chosen.release(sums, source).value
    return MarginalsRelease(noisy, chosen, goal, ranked, sums.names, signs)


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


def marginals_mechanism(  # noqa: PLR0913 - public facts, each by its name
    *,
    columns: SupportsIndex,
    records: SupportsIndex | None = None,
    epsilon: Exact | None = None,
    delta: Exact = 0,
    guarantee: Guarantee | None = None,
    objective: ObjectiveName | Objective = "max",
    neighbours: NeighboursName | Neighbours = "replace",
    mechanism: NoiseName | NoiseFamily | None = None,
) -> OneWayMarginals:
    """The mechanism with the least expected error, from public facts alone.

    Args:
        columns: the number of columns, at least 1.
        records: the number of rows, if rows are replaced; left out if they are added or removed.
        epsilon: ε, together with `delta`; or give a `guarantee`.
        delta: δ.
        guarantee: a `PureDP`, an `ApproxDP` or a `ZCDP`.
        objective: what to make small: "max", the worst column, or "average" or "squared", means
            over the columns.
        neighbours: "replace" or "add_remove": see `marginals`.
        mechanism: the kind of noise, if it shall not be chosen by expected error.

    Raises:
        InvalidParameter: an argument breaks a rule.
        UnsupportedQuery: the kind of noise cannot meet the guarantee.

    Example:
        >>> plan = marginals_mechanism(columns=1000, records=10**6, epsilon=1)
        >>> plan.error(confidence="0.95")
        Interval(1052)
        >>> plan = marginals_mechanism(columns=1000, epsilon=1, neighbours="add_remove")
        >>> plan.error(confidence="0.95")
        Interval(572.5)
    """
    found = ranking(
        _check.integer_between(columns, "columns", 1),
        target := checked_target(epsilon=epsilon, delta=delta, guarantee=guarantee),
        relation := checked_neighbours(neighbours, records),
        checked_objective(objective),
        None if mechanism is None else checked_family(mechanism),
    )
    return OneWayMarginals(found[0].perturbation, neighbours=relation, guarantee=target)
