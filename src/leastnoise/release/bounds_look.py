"""`bounds_look`: what bounds would cut off and what noise they need, for people who choose."""

from collections.abc import Iterator, Mapping

import numpy as np

from leastnoise import _check, _show
from leastnoise._dataclass import dataclass
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import ZCDP, Guarantee, PureDP
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.draw.answered import measured
from leastnoise.release.draw.drawn import drawn, make_ready
from leastnoise.release.draw.reading import Progress
from leastnoise.release.plan import Plan
from leastnoise.release.price.choosing import Choosing
from leastnoise.release.price.stakes import stakes_of
from leastnoise.release.price.unit_spreads import MOST_BOUND
from leastnoise.release.spread.chosen_bounds import Stake
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.seen_weights import seen_weights

_RISK = 0.05
_FARTHER = 8  # times the best bound: so far the curve is told


@dataclass(frozen=True)
class BoundRow:
    """One bound of one question.

    Attributes:
        question: its name.
        bound: max_groups or max_rows; the other one is as advised.
        value: the bound.
        cut: how many rows it leaves out of one answer, on average, as noisy numbers tell it.
        cut_most: it surely leaves out no more, but for a chance of 5 %; None if nothing declared
            limits what a unit can have, so that no number of this kind could be true.
        noise: the mean |noise| of one answer at the plan's budget.
        error: the mean |error| of both together.
        seen: the largest number that units were seen to have, rounded up.
        cap: no unit has more, as was declared by `most_rows` or by a list of groups; else None.
        advised: whether the error is least here.
    """

    question: str
    bound: str
    value: int
    cut: float
    cut_most: float | None
    noise: float
    error: float
    seen: int
    cap: int | None
    advised: bool


class BoundsLook(tuple[BoundRow, ...]):
    """All bounds of all questions, in their order."""

    __slots__ = ()
    plot = _show.plot
    _repr_html_ = _show.html


def bounds_look(  # noqa: PLR0913 - each is a choice of its own
    plan: Plan,
    spend: PureDP | ZCDP,
    *,
    budget: Guarantee,
    ledger: Ledger,
    labels: Mapping[str, str] | None = None,
    purpose: str = "a look at bounds",
    progress: Progress | None = None,
    source: Source | None = None,
) -> BoundsLook:
    """Spends a little to see how units spread, and says what each bound would do.

    Args:
        plan: whose questions need bounds; those it names do not matter here.
        spend: what to spend now.
        budget: what the plan will be released with.
        ledger: where it is charged, before any noise is drawn.
        labels: whose budgets inside the total it counts against.
        purpose: a note for the ledger.
        progress: called with the number of passes over the data that are done, and of all.
        source: randomness; the operating system's if none is given.

    Raises:
        InvalidParameter: no question depends on bounds.
        BudgetExceeded: the ledger has less left; nothing was charged or drawn.
    """
    choosing = _look(plan, spend, budget)
    ledger.about.refuse_other(plan.table.scope)
    admitted = choosing.alone()
    ledger.require(admitted.costs, labels=labels, **plan.table.scope.said)
    secret_source = checked_source(source)
    secrets = measured(admitted, secret_source, progress)
    make_ready(admitted.steps)
    paid = admitted.charge(ledger, purpose=purpose, labels=labels, digest=plan.digest)
    hats = choosing.hats(drawn(paid, secrets, secret_source))
    stakes, best = stakes_of(choosing.priced, choosing.needed, hats), choosing.bounds(hats)
    return BoundsLook(row for name, own in stakes.items() for row in _curves(name, own, best[name]))


def _look(plan: Plan, spend: PureDP | ZCDP, budget: Guarantee) -> Choosing:
    choosing = plan.choosing_all(budget, spend)
    if choosing is not None:
        return choosing
    raise _check.refuse(
        "a plan must have a question that depends on `max_rows` or `max_groups`",
        "none",
        "There is nothing to choose: release it.",
    )


def _curves(name: str, stake: Stake, best: Bounds) -> Iterator[BoundRow]:
    """One curve for each bound that the question depends on."""
    for bound, hats in (("max_groups", stake.groups), ("max_rows", stake.rows)):
        if hats is not None:
            advised = getattr(best, bound)
            for value in _values(hats, advised):
                yield _row(name, stake, _with_bound(best, bound, value), bound, hats, advised)


def _with_bound(bounds: Bounds, name: str, value: int) -> Bounds:
    both = {"max_groups": bounds.max_groups, "max_rows": bounds.max_rows} | {name: value}
    return Bounds(**both)


def _values(hats: Hats, advised: int) -> list[int]:
    doubling = [2**place for place in range(21)]
    near = {x for x in doubling if x <= min(_FARTHER * advised, hats.knots[-1])}
    return sorted(near | {advised} | {each for each in [_cap(hats)] if each is not None})


def _cap(hats: Hats) -> int | None:
    """What units can have at most, as far as is declared: knots go no farther then."""
    return hats.knots[-1] if hats.knots[-1] < MOST_BOUND else None


def _row(  # noqa: PLR0913, PLR0917 - the parts of a row
    name: str, stake: Stake, bounds: Bounds, bound: str, hats: Hats, advised: int
) -> BoundRow:
    groups, rows = np.array([float(bounds.max_groups)]), np.array([float(bounds.max_rows)])
    value = getattr(bounds, bound)
    return BoundRow(
        question=name,
        bound=bound,
        value=value,
        cut=float(stake.lost(groups, rows)[0, 0]) / stake.answers,
        cut_most=_most(stake, bound, value),
        noise=float(stake.noises(groups, rows)[0, 0]),
        error=float(stake.costs(groups, rows)[0, 0]) / stake.weight,
        seen=_seen(hats),
        cap=_cap(hats),
        advised=value == advised,
    )


def _most(stake: Stake, bound: str, value: int) -> float | None:
    """The upper limit of what is left out of one answer; None if there is none.

    A unit's rows in a group have the weight 1 over its groups: times all groups they weigh 1. How
    many rows are in groups that are left out is not known.
    """
    groups = 1 if stake.groups is None else _cap(stake.groups)
    hats, times = (stake.rows, groups) if bound == "max_rows" else (stake.groups, 1)
    if hats is None or _cap(hats) is None or times is None:
        return None
    if bound == "max_groups" and stake.rows is not None:
        return None
    beyond = [max(knot - value, 0) for knot in hats.knots]
    found = hats.cut(value) + (hats.above(beyond, _RISK) if any(beyond) else 0.0)
    return max(found, 0.0) * times / stake.answers


def _seen(hats: Hats) -> int:
    """The last knot that has a weight that matters."""
    weights = seen_weights(hats)
    places = np.flatnonzero(weights >= 0.5)
    return hats.knots[int(places[-1])] if len(places) else hats.knots[0]
