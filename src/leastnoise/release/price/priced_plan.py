"""`PricedPlan`: questions with the shares of a budget they get."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.privacy.guarantee import Guarantee, checked_guarantee
from leastnoise.release.ask.expected import NOTHING_EXPECTED, Expected
from leastnoise.release.draw.drawn import CONFIDENCE
from leastnoise.release.draw.key_selection import KeySelection
from leastnoise.release.gate import Admitted, admit
from leastnoise.release.price.allocation import granted
from leastnoise.release.price.counted_groups import Counted, bearing, counted, key_choice, uses
from leastnoise.release.price.dividing import weighed
from leastnoise.release.price.measured_cuts import cut_demands
from leastnoise.release.questions.bounded_question import BoundedQuestion, plain
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.integer_answers import noisy_step
from leastnoise.release.questions.most_common import MostCommon
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.unit_counts import AsksForUnits
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.preview import KeysForecast
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Allotment, Grant, public_grant
from leastnoise.release.step.sensitivity import UNMOVED
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import UnitSpread

_EVEN_ODDS = Fraction(1, 2)
_NO_ERROR = 1e-300  # of a number that is public


@dataclass(frozen=True)
class PricedPlan:
    """Questions about a table, each with its grants; private groups are chosen once for all.

    Attributes:
        table: what is asked about, and how much of one unit counts.
        questions: what is asked.
        demands: what each question has to be paid for.
        grants: what each of these gets.
        choices: for each choice of private groups, the step that makes it.
        answered: the names of the questions that the choices' own noisy counts answer.
        paid: for each choice of private groups, what it may spend.
        cuts: for each measurement of what the bounds leave out, what it may spend.
        expected: by the names of questions, what somebody expects of them; for forecasts alone.
    """

    table: BoundedTable
    questions: tuple[Question, ...]
    demands: tuple[tuple[Demand, ...], ...]
    grants: tuple[tuple[Grant, ...], ...]
    choices: dict[KeySelection, Step]
    answered: frozenset[str]
    paid: dict[KeySelection, Grant]
    cuts: dict[UnitSpread, Grant] = field(default_factory=dict)
    expected: Mapping[str, Expected] = field(default_factory=dict)

    @classmethod
    def of(
        cls, table: BoundedTable, questions: Sequence[Question], budget: Guarantee
    ) -> "PricedPlan":
        """The questions with the shares that make the weighted sum of their errors least.

        Raises:
            InvalidParameter: nothing is asked, or the budget is no guarantee.
            UnsupportedQuery: the budget cannot pay for what is asked.
        """
        if not questions:
            raise _check.refuse("a plan must ask something", "no question", "Add .count() first.")
        known, answered = checked_guarantee(budget, "budget"), counted(questions, table)
        questions = _reusing(questions, table)
        made = cls._of(table, questions, known, answered)
        rough = [each.name for each, given in made.allotted() if not _is_met(each, given)]
        if not rough:
            return made
        fine = {name: matters for name, matters in answered.items() if name not in rough}
        return cls._of(table, questions, known, fine)

    @classmethod
    def _of(
        cls,
        table: BoundedTable,
        questions: Sequence[Question],
        budget: Guarantee,
        answered: Counted,
    ) -> "PricedPlan":
        """The same, where choices of private groups answer the named questions."""
        own = tuple(question.demands(table) for question in questions)
        used = uses(questions, table, answered)
        paying = [
            () if each.name in answered else part for each, part in zip(questions, own, strict=True)
        ]
        choices = [
            each.demand(table.neighbours, sum(use, Fraction(0))) for each, use in used.items()
        ]
        pairs = zip(questions, paying, strict=True)
        own_choices = [key_choice(each, table) for each, part in pairs for _ in part]
        lost = cut_demands(questions, table, budget)
        before = [*lost.values(), *choices]
        choosers = [*[None] * len(before), *own_choices]
        given = iter(_granted_once([*before, *chain(*paying)], choosers, budget))
        cuts = dict(zip(lost, islice(given, len(lost)), strict=True))
        paid = dict(zip(used, islice(given, len(used)), strict=True))
        made = {
            each: each.step(paid[each], table.neighbours, counted=bool(use))
            for each, use in used.items()
        }

        def grants(question: Question, part: tuple[Demand, ...]) -> tuple[Grant, ...]:
            choice = key_choice(question, table)
            if choice is None or question.name not in answered:
                return tuple(islice(given, len(part)))
            return (bearing(made[choice], paid[choice], len(used[choice])),)

        found = tuple(grants(each, part) for each, part in zip(questions, paying, strict=True))
        return cls(table, tuple(questions), own, found, made, frozenset(answered), paid, cuts)

    def expecting(self, expected: Mapping[str, Expected]) -> "PricedPlan":
        """The same plan: what is expected changes forecasts alone."""
        return replace(self, expected=expected)

    def error(self, place: int) -> float:
        """The weighted mean error of one question, for comparisons; never 0."""
        return weighed(self.demands[place], self.grants[place]) or _NO_ERROR

    @cached_property
    def errors(self) -> tuple[float, ...]:
        """Those of all questions."""
        return tuple(map(self.error, range(len(self.questions))))

    @cached_property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """What each question has drawn; questions that ask for the same have one step of it."""
        made: dict[object, Step] = {}
        return tuple(
            tuple(
                made.setdefault(_same(step), step) for step in each.steps(given, self._choice(each))
            )
            for each, given in self.allotted()
        )

    @cached_property
    def drawn_steps(self) -> tuple[Step, ...]:
        """All steps, each once; the choices of private groups first, what bounds left out last."""
        answers = [*self.choices.values(), *chain(*self.steps)]
        return tuple(dict.fromkeys([*answers, *self.cut_steps.values()]))

    @cached_property
    def cut_steps(self) -> dict[UnitSpread, Step]:
        """What is drawn to tell what the bounds leave out."""
        return {asked: noisy_step(asked, given, None) for asked, given in self.cuts.items()}

    def allotted(self) -> Iterator[tuple[Question, Allotment]]:
        """Each question with what it may spend, and on which table."""
        for question, given in zip(self.questions, self.grants, strict=True):
            expected = self.expected.get(question.name, NOTHING_EXPECTED)
            yield question, Allotment(self.table, given, self._counts(question), expected)

    def _choice(self, question: Question) -> Step | None:
        choice = key_choice(question, self.table)
        return None if choice is None else self.choices[choice]

    def _counts(self, question: Question) -> CountedPartitions | None:
        """The choice of groups whose own noisy counts answer the question."""
        choice = self._choice(question) if question.name in self.answered else None
        if choice is None:
            return None
        assert isinstance(choice.mechanism, CountedPartitions)
        return choice.mechanism

    def admitted(self, budget: Guarantee) -> Admitted:
        """All steps, if the gate finds that together they keep the budget."""
        return admit(self.table.table, self.drawn_steps, budget)

    def forecasts(self, names: Container[str] | None = None) -> list[Forecast]:
        """The error of every answer, or of those of some questions, before any data is read."""
        return [
            self._forecast(question, given)
            for question, given in self.allotted()
            if names is None or question.name in names
        ]

    def fewest_units(self, told: Forecast) -> int | None:
        """In how many units at least the rows are that one answer is expected to be about."""
        if told.expected is None or told.rows != "rows" or self.table.table.unit is None:
            return told.expected
        return -(-told.expected // self.table.max_rows)

    def _forecast(self, question: Question, given: Allotment) -> Forecast:
        told = question.forecast(given, CONFIDENCE)
        choice = self._choice(question)
        if choice is None:
            return told
        half, likely = _shown(choice)
        return replace(told, shown_half=half, shown_from=likely)

    def keys_found(self) -> list[KeysForecast]:
        """What each choice of private groups costs beside the questions, and what it shows."""
        return [self._keys_found(each, choice) for each, choice in self.choices.items()]

    def _keys_found(self, keys: KeySelection, choice: Step) -> KeysForecast:
        names = tuple(each.name for each in self.questions if key_choice(each, self.table) == keys)
        share = Fraction(0) if self.answered & set(names) else self.paid[keys].share
        return KeysForecast(f"finding groups{keys}", names, share, *_shown(choice))


def _shown(choice: Step) -> tuple[int, int]:
    """With how many units a group is shown with 50 %, and with 95 %."""
    assert isinstance(choice.mechanism, KeepRule)
    return choice.mechanism.likely_kept(_EVEN_ODDS), choice.mechanism.likely_kept(CONFIDENCE)


def _is_met(question: Question, given: Allotment) -> bool:
    """Whether the counts by which groups are chosen are as precise as the question asks."""
    if given.counts is None or not isinstance(question, AsksForUnits):
        return True
    return question.is_met_by(given.counts)


def _reusing(questions: Sequence[Question], table: BoundedTable) -> tuple[Question, ...]:
    """The same questions; the largest groups are taken from counts that another one asks for."""
    counts = {each.measurements(table) for each in questions if isinstance(plain(each), Count)}
    return tuple(
        _from_counts(each) if each.measurements(table) in counts else each for each in questions
    )


def _from_counts(question: Question) -> Question:
    """The same question; the largest groups are taken from the counts of all."""
    if isinstance(question, BoundedQuestion):
        return replace(question, question=_from_counts(question.question))
    return replace(question, from_counts=True) if isinstance(question, MostCommon) else question


def _granted_once(
    demands: Sequence[Demand], choosers: Sequence[KeySelection | None], budget: Guarantee
) -> list[Grant]:
    """A grant for each demand; those for the same numbers share one, and its price.

    Numbers of groups that were chosen in different ways are not the same: each gets noise anew.
    """
    places: dict[object, list[int]] = {}
    for place, (demand, chooser) in enumerate(zip(demands, choosers, strict=True)):
        same = place if demand.asked is None else (demand.asked, chooser)
        places.setdefault(same, []).append(place)
    merged = [
        replace(demands[own[0]], weight=sum((demands[i].weight for i in own), Fraction(0)))
        for own in places.values()
    ]
    given_to = iter(granted([each for each in merged if each.reach != UNMOVED], budget))
    found: dict[int, Grant] = {}
    for own, demand in zip(places.values(), merged, strict=True):
        given = public_grant(budget) if demand.reach == UNMOVED else next(given_to)
        for place in own:
            found[place] = replace(given, share=given.share / len(own))
    return [found[place] for place in range(len(demands))]


def _same(step: Step) -> object:
    """Steps with equal answers to this add noise to the same numbers; others are themselves."""
    match step.mechanism:
        case JointPart() as part:
            return id(part.whole), part.place
        case CellNoise():
            return step.asked, id(step.among), step.mechanism
        case _:
            return id(step)
