"""`ScopedBound`: with fewer records no mechanism of a certain kind reaches an error."""

from collections.abc import Sequence
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.certificates.plan_scope import Scope, price_above
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee
from leastnoise.sizes.barriers.impossible import first_possible_records, walked
from leastnoise.sizes.barriers.variance_bound import variance_barrier
from leastnoise.sizes.bounds_table import bound_text
from leastnoise.sizes.column_option import ColumnOption
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.objective import Objective

EVERY = "every mechanism"
UNBIASED = "answers without bias"


@dataclass(frozen=True)
class ScopedBound:
    """A proved bound on the number of records, and for which mechanisms it holds.

    Attributes:
        records: with fewer, no mechanism of the scope reaches the error.
        scope: which mechanisms, in words.
        reason: the theorem, in a few words; None where nothing is known.
    """

    records: int
    scope: str
    reason: str | None


def scoped_bounds(
    task: MeansTask, error: Fraction, options: Sequence[ColumnOption]
) -> tuple[ScopedBound, ...]:
    r"""The bound for every mechanism first, then those for narrower kinds that are higher.

    Squares of errors of answers without bias have bounds of their own, by the task's (ε, δ) and, if
    Gaussian noise is among the options, by the ρ-zCDP that it has: among mechanisms that promise as
    much, it is hardly beaten.
    """
    least, barrier = first_possible_records(task, error)
    found = [ScopedBound(least, EVERY, None if barrier is None else barrier.argument)]
    if task.objective is Objective.SQUARED:
        found += [_unbiased(task, error, least, *kind) for kind in _kinds(task, options)]
    return tuple(bound for bound in found if bound.scope == EVERY or bound.records > least)


def _kinds(task: MeansTask, options: Sequence[ColumnOption]) -> list[tuple[Guarantee, str]]:
    """The promises, and the kinds of mechanisms in words."""
    kinds: list[tuple[Guarantee, str]] = [
        (ApproxDP(epsilon=task.epsilon, delta=task.delta), UNBIASED)
    ]
    rhos = [option.noise.rho for option in options]
    for rho in {rho for rho in rhos if rho is not None}:
        shown = bound_text(rho)  # rounded down, so that what is said is proved
        kinds.append((ZCDP(rho=rho), f"{UNBIASED}, {shown}-zCDP"))
    return kinds


def _unbiased(
    task: MeansTask, error: Fraction, least: int, promise: Guarantee, scope: str
) -> ScopedBound:
    price = price_above(Scope.UNBIASED, promise)
    assert price is not None  # both kinds of promises have one
    records, _ = walked(
        lambda people: variance_barrier(task.dimension, price, people), error, least
    )
    return ScopedBound(records, scope, "variances")
