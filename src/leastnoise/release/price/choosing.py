"""`Choosing`: the first stage of a release whose bounds are chosen from the data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property, partial

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.noise.laws.discrete_laplace import DiscreteLaplace
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.chosen_ends import VALUE_GRID
from leastnoise.release.ask.named_bounds import NamedBounds
from leastnoise.release.draw.drawn import Drawn
from leastnoise.release.gate import Admitted, Parts, admit, admit_first
from leastnoise.release.price.budget_parts import budget_parts
from leastnoise.release.price.chosen_ranges import chosen_ranges, range_facts, with_range
from leastnoise.release.price.gaussian_shares import smoothed
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.stakes import sharing_answers, stakes_of
from leastnoise.release.price.unit_spreads import Needed, needed_spreads, spread_words
from leastnoise.release.price.value_spreads import NeededRange, needed_ranges
from leastnoise.release.questions.bounded_question import BoundedQuestion, plain
from leastnoise.release.questions.integer_answers import noisy_step
from leastnoise.release.questions.question import Question
from leastnoise.release.result.chosen import ChosenFacts, SpreadFacts
from leastnoise.release.spread.choosing_share import choosing_share
from leastnoise.release.spread.chosen_bounds import Stake, least_bounds
from leastnoise.release.spread.chosen_range import Range
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.reach import reach_of
from leastnoise.release.step.sensitivity import Sensitivity
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT, Spread, UnitSpread

Pricing = Callable[[Sequence[Question], Guarantee], PricedPlan]
"""Divides a budget among questions."""


@dataclass(frozen=True)
class Choosing:
    """What is drawn to choose bounds, what that costs, and what is left for the questions.

    Attributes:
        needed: for each question whose bounds are to be chosen, by name, the spreads that tell.
        ranges: for each question whose range of values is to be chosen, likewise.
        parts: the budget, divided.
        priced: the questions with what is left, for bounds of 1.
        pricing: prices questions of the plan's table.
    """

    needed: Mapping[str, Needed]
    ranges: Mapping[str, NeededRange]
    parts: Parts
    priced: PricedPlan
    pricing: Pricing

    @classmethod
    def of(
        cls, whole: PricedPlan, named: NamedBounds, pricing: Pricing, budget: Guarantee
    ) -> "Choosing | None":
        """The first stage, for the division that leaves the least error.

        Args:
            whole: the questions, priced with all of the budget and with bounds of 1 in the place
                of those that are to be chosen.
            named: the bounds of the plan, as it names them.
            pricing: prices questions of the plan's table.
            budget: for both stages.

        Returns:
            None if nothing is to be chosen.

        Raises:
            UnsupportedQuery: the budget cannot pay for what is asked.
        """
        questions = whole.questions
        several = whole.table.table.unit is not None
        needed = needed_spreads(questions, whole.table, named) if several else {}
        ranges = needed_ranges(questions, whole.table)
        if not needed and not ranges:
            return None
        sharing = sharing_answers(whole, {**ranges, **needed})
        private = any(each.groups.are_private for each in questions)
        ways = [
            cls(needed, ranges, parts, priced, pricing)
            for parts in budget_parts(budget, partial(choosing_share, sharing), private=private)
            for priced in _priced(pricing, questions, parts.rest)
        ]
        if not ways:
            raise UnsupportedQuery(
                f"a budget must pay for the choice of bounds beside the questions; {budget!r} does "
                "not. Spend more, or give the bounds."
            )
        return min(ways, key=lambda each: sum(each.priced.errors))

    @classmethod
    def apart(
        cls, whole: PricedPlan, named: NamedBounds, pricing: Pricing, spend: PureDP | ZCDP
    ) -> "Choosing | None":
        """The first stage with a budget of its own; the questions keep all of theirs."""
        needed = needed_spreads(whole.questions, whole.table, named)
        return cls(needed, {}, Parts(spend, spend), whole, pricing) if needed else None

    @property
    def share(self) -> Fraction:
        """Of ε or ρ."""
        return _size(self.parts.first) / (_size(self.parts.first) + _size(self.parts.rest))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """One for each spread, with equal prices."""
        pairs = [(each.groups, each.rows) for each in self.needed.values()]
        values = [(each.spread,) for each in self.ranges.values()]
        both = [each for some in (*pairs, *values) for each in some]
        spreads = dict.fromkeys(each for each in both if each is not None)
        table = self.priced.table.table
        return tuple(
            noisy_step(each, _grant(reach_of(each, table), self.parts.first, len(spreads)), None)
            for each in spreads
        )

    def admitted(self, budget: Guarantee) -> Admitted:
        """The steps, with the right to the rest, if the gate finds that the budget is kept.

        The rest surely pays for something: for the questions under the least bounds.
        """
        self.priced.admitted(self.parts.rest)
        return admit_first(self.priced.table.table, self.steps, budget, self.parts)

    def alone(self) -> Admitted:
        """The steps by themselves, at the price of the first part; nothing follows."""
        return admit(self.priced.table.table, self.steps, self.parts.first)

    def hats(self, drawn: Sequence[Drawn]) -> dict[UnitSpread, Hats]:
        """What the steps showed."""
        found = {}
        for step, shown in zip(self.steps, drawn, strict=True):
            assert isinstance(step.asked, UnitSpread)
            assert isinstance(step.mechanism, CellNoise)
            law, (values,) = step.mechanism.law, shown.values
            found[step.asked] = Hats(step.asked.knots, values, law, SPREAD_WEIGHT)
        return found

    def bounds(self, hats: Mapping[UnitSpread, Hats]) -> dict[str, Bounds]:
        """For each question, by name, what makes noise and cut least together.

        Questions about the same groups have the same bounds. It sees public numbers only.
        """
        stakes = stakes_of(self.priced, self.needed, hats)
        alike: dict[object, list[str]] = {}
        for name in stakes:
            own = self.needed[name]
            alike.setdefault((own.kind, own.chosen, own.at), []).append(name)
        return {
            name: _least([stakes[each] for each in names], self.needed[name])
            for names in alike.values()
            for name in names
        }

    def chosen_ranges(
        self, hats: Mapping[UnitSpread, Hats], bounds: Mapping[str, Bounds]
    ) -> dict[str, Range]:
        """For each question whose range is chosen, by name, likewise, under the bounds chosen."""
        stakes = stakes_of(self.priced, self.needed, hats)
        return chosen_ranges(self.priced, self.ranges, hats, stakes, bounds)

    def facts(self, hats: Mapping[UnitSpread, Hats], asked: PricedPlan) -> ChosenFacts:
        """What readers are told of the choice; the bounds stand where others do.

        Args:
            hats: what it was made from.
            asked: the questions as they are asked then.
        """
        bounds = {name for each in self.needed.values() for name in each.chosen}
        ends = {name for each in self.ranges.values() for name in each.chosen}
        return ChosenFacts(
            names=tuple(sorted(bounds | ends)),
            share=str(self.share),
            spreads=tuple(_told(spread, own) for spread, own in hats.items()),
            ranges=range_facts(asked, self.ranges),
        )

    def then(
        self, bounds: Mapping[str, Bounds], ranges: Mapping[str, Range] | None = None
    ) -> PricedPlan:
        """The questions under these bounds and ranges, priced with the rest of the budget.

        If that cannot pay for them, smaller bounds are taken: those of the preview it can pay for.
        """
        found = ranges or {}
        cut = [with_range(each, found.get(each.name)) for each in self.priced.questions]
        asked = [_under(each, bounds.get(each.name)) for each in cut]
        try:
            priced = self.pricing(asked, self.parts.rest)
            priced.admitted(self.parts.rest)  # what no choice of groups can keep shows here alone
        except UnsupportedQuery:
            least = {name: self.needed[name].at for name in bounds}
            smaller = {name: _halved(own, least[name]) for name, own in bounds.items()}
            return self.priced if smaller == bounds else self.then(smaller, ranges)
        return priced


def _least(stakes: Sequence[Stake], own: Needed) -> Bounds:
    return least_bounds(
        stakes,
        max_groups=None if "max_groups" in own.chosen else own.at.max_groups,
        max_rows=None if "max_rows" in own.chosen else own.at.max_rows,
    )


def _under(question: Question, bounds: Bounds | None) -> Question:
    """The question with the bounds that were chosen for it."""
    if bounds is None:
        return question
    grouped = bool(question.groups.by)
    own = NamedBounds(max_groups=bounds.max_groups if grouped else None, max_rows=bounds.max_rows)
    return BoundedQuestion(plain(question), own)


def _priced(
    pricing: Pricing, questions: Sequence[Question], part: Guarantee
) -> Iterator[PricedPlan]:
    """The questions at this price, if it can pay for them."""
    with suppress(UnsupportedQuery):
        yield pricing(questions, part)


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
        knots=tuple(_number(knot, spread) for knot in hats.knots),
        weights=tuple(map(int, hats.values)),
        weight=hats.weight,
        noise=repr(hats.law),
    )


def _number(knot: int, spread: UnitSpread) -> int | float:
    """What a knot stands for; knots of values are places on the grid."""
    return float(knot * VALUE_GRID.step) if spread.of is Spread.VALUES else knot


def _size(part: Guarantee) -> Fraction:
    """What adds up."""
    assert isinstance(part, PureDP | ApproxDP | ZCDP)
    return part.rho if isinstance(part, ZCDP) else part.epsilon


def _halved(bounds: Bounds, least: Bounds) -> Bounds:
    return Bounds(
        max_groups=max(bounds.max_groups // 2, least.max_groups),
        max_rows=max(bounds.max_rows // 2, least.max_rows),
    )
