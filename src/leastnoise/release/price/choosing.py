"""`Choosing`: the first stage of a release whose bounds are chosen from the data."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.draw.drawn import Drawn
from leastnoise.release.gate import Admitted, Parts, admit_first
from leastnoise.release.price.budget_parts import budget_parts
from leastnoise.release.price.gaussian_shares import smoothed
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.stakes import sharing_answers, stakes_of
from leastnoise.release.price.unit_spreads import Needed, needed_spreads, plain_bounds, spread_words
from leastnoise.release.questions.integer_answers import noisy_step
from leastnoise.release.result.chosen import ChosenFacts, SpreadFacts
from leastnoise.release.spread.choosing_share import choosing_share
from leastnoise.release.spread.chosen_bounds import least_bounds
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, UnitSpread

Pricing = Callable[[BoundedTable, Guarantee], PricedPlan]
"""Divides a budget among the questions of a plan."""


@dataclass(frozen=True)
class Choosing:
    """What is drawn to choose bounds, what that costs, and what is left for the questions.

    Attributes:
        chosen: the names of the bounds that are to be chosen; the table has 1 for each of them.
        needed: for each question that depends on these, by name, the spreads that tell.
        parts: the budget, divided.
        priced: the questions with what is left, for bounds of 1.
        pricing: prices the questions of the plan under some bounds.
    """

    chosen: frozenset[str]
    needed: Mapping[str, Needed]
    parts: Parts
    priced: PricedPlan
    pricing: Pricing

    @classmethod
    def of(
        cls, table: BoundedTable, pricing: Pricing, budget: Guarantee, chosen: Collection[str]
    ) -> "Choosing | None":
        """The first stage, for the division that leaves the least error.

        Args:
            table: what is asked about, with 1 for each bound that is to be chosen.
            pricing: prices the questions of the plan.
            budget: for both stages.
            chosen: the names of the bounds that are to be chosen.

        Returns:
            None if nothing depends on these.

        Raises:
            InvalidParameter: nothing is asked.
            UnsupportedQuery: the budget cannot pay for what is asked.
        """
        whole = pricing(table, budget)
        questions = whole.questions
        needed = needed_spreads(questions, table, chosen)
        if not needed:
            return None
        sharing = sharing_answers(whole, needed)
        private = any(each.groups.are_private for each in questions)
        ways = [
            cls(frozenset(chosen), needed, parts, priced, pricing)
            for parts in budget_parts(budget, partial(choosing_share, sharing), private=private)
            for priced in _priced(pricing, table, parts.rest)
        ]
        if not ways:
            raise UnsupportedQuery(
                f"a budget must pay for the choice of bounds beside the questions; {budget!r} does "
                "not. Spend more, or give the bounds."
            )
        return min(ways, key=lambda each: sum(each.priced.errors))

    @property
    def share(self) -> Fraction:
        """Of ε or ρ."""
        return _size(self.parts.first) / (_size(self.parts.first) + _size(self.parts.rest))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """One for each spread, with equal prices."""
        pairs = [(each.groups, each.rows) for each in self.needed.values()]
        spreads = dict.fromkeys(each for pair in pairs for each in pair if each is not None)
        table = self.priced.table.table
        return tuple(
            noisy_step(each, _grant(reach_of(each, table), self.parts.first, len(spreads)), None)
            for each in spreads
        )

    def admitted(self, budget: Guarantee) -> Admitted:
        """The steps, with the right to the rest, if the gate finds that the budget is kept."""
        return admit_first(self.priced.table.table, self.steps, budget, self.parts)

    def hats(self, drawn: Sequence[Drawn]) -> dict[UnitSpread, Hats]:
        """What the steps showed."""
        found = {}
        for step, shown in zip(self.steps, drawn, strict=True):
            assert isinstance(step.asked, UnitSpread)
            assert isinstance(step.mechanism, CellNoise)
            law, (values,) = step.mechanism.law, shown.values
            found[step.asked] = Hats(step.asked.knots, values, law, SPREAD_WEIGHT)
        return found

    def bounds(self, hats: Mapping[UnitSpread, Hats]) -> Bounds:
        """The bounds that make noise and cut least together; it sees public numbers only."""
        stakes = list(stakes_of(self.priced, self.needed, hats))
        given = plain_bounds(self.priced.table)
        return least_bounds(
            stakes,
            max_groups=None if "max_groups" in self.chosen else given.max_groups,
            max_rows=None if "max_rows" in self.chosen else given.max_rows,
        )

    def facts(self, hats: Mapping[UnitSpread, Hats]) -> ChosenFacts:
        """What readers are told of the choice; the bounds stand where others do."""
        return ChosenFacts(
            names=tuple(sorted(self.chosen)),
            share=str(self.share),
            spreads=tuple(_told(spread, own) for spread, own in hats.items()),
        )

    def then(self, bounds: Bounds) -> PricedPlan:
        """The questions under these bounds, priced with the rest of the budget.

        If that cannot pay for them, smaller bounds are taken: those of the preview it can pay for.
        """
        table = replace(self.priced.table, bounds=bounds)
        try:
            return self.pricing(table, self.parts.rest)
        except UnsupportedQuery:
            smaller = _halved(bounds, plain_bounds(self.priced.table))
            return self.priced if smaller == bounds else self.then(smaller)


def _priced(pricing: Pricing, table: BoundedTable, part: Guarantee) -> Iterator[PricedPlan]:
    """The questions at this price, if it can pay for them."""
    with suppress(UnsupportedQuery):
        yield pricing(table, part)


def _grant(reach: Sensitivity, part: Guarantee, ways: int) -> Grant:
    """One of so many equal parts."""
    if isinstance(part, ZCDP):
        return smoothed(reach, part.rho / ways)
    assert isinstance(part, PureDP), "no other part pays for spreads"
    epsilon = part.epsilon / ways
    noise = DiscreteLaplace(scale=reach.total / epsilon)
    return Grant(PureDP(epsilon=epsilon), Fraction(0), noise=noise)


def _told(spread: UnitSpread, hats: Hats) -> SpreadFacts:
    return SpreadFacts(
        words=spread_words(spread),
        knots=hats.knots,
        weights=tuple(map(int, hats.values)),
        weight=hats.weight,
        noise=repr(hats.law),
    )


def _size(part: Guarantee) -> Fraction:
    """What adds up."""
    assert isinstance(part, PureDP | ApproxDP | ZCDP)
    return part.rho if isinstance(part, ZCDP) else part.epsilon


def _halved(bounds: Bounds, least: Bounds) -> Bounds:
    return Bounds(
        max_groups=max(bounds.max_groups // 2, least.max_groups),
        max_rows=max(bounds.max_rows // 2, least.max_rows),
    )
