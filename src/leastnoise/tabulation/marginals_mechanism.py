"""`marginals_mechanism`: the mechanism for a table that is known only by its shape."""

from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.tabulation.neighbours import Neighbours, NeighboursName, checked_neighbours
from leastnoise.tabulation.noise_family import NoiseFamily, NoiseName, checked_family
from leastnoise.tabulation.objective import Objective, ObjectiveName, checked_objective
from leastnoise.tabulation.one_way_marginals import OneWayMarginals
from leastnoise.tabulation.ranking import ranking
from leastnoise.tabulation.target import checked_target


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
