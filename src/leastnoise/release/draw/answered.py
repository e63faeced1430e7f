"""From priced questions to answers: exact totals first, then noise, then what users read."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice

from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.randomness.source import Source
from leastnoise.release.draw.drawn import CONFIDENCE, Drawn
from leastnoise.release.gate import Admitted
from leastnoise.release.measure.measure import measure
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.bounded_question import plain
from leastnoise.release.questions.question import Limited, Preparing, Question
from leastnoise.release.result.flagging import AnswerFacts, flagged
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.step import Step

Progress = Callable[[int, int], None]
_EVEN = Fraction(1, 2)


def measured(
    admitted: Admitted, source: Source, progress: Progress | None = None
) -> list[tuple[SecretTotals, ...]]:
    """The exact, secret answers to what each step measures, in as few passes as there are."""
    asked = [step.asked for step in admitted.steps]
    found = iter(measure(admitted.table, asked, source=source, progress=progress))
    return [tuple(islice(found, each.results)) for each in asked]


def make_answers_ready(priced: PricedPlan) -> None:
    """What answers need to know of their noise alone, found before the charge."""
    for question, given in priced.allotted():
        if isinstance(question, Preparing):
            question.make_ready(given, CONFIDENCE)


def answered(priced: PricedPlan, drawn: Sequence[Drawn]) -> Iterator[ReleasedTable]:
    """The answers, question after question, from what the steps showed."""
    shown = dict(zip(priced.drawn_steps, drawn, strict=True))
    for (question, given), steps in zip(priced.allotted(), priced.steps, strict=True):
        table = question.answer(given, tuple(shown[step] for step in steps), CONFIDENCE)
        yield flagged(table, _facts(question, steps))


def _facts(question: Question, steps: Sequence[Step]) -> AnswerFacts:
    """What is public of a question's answers; nothing here has seen what was drawn."""
    asked = plain(question)
    limits = asked.limits if isinstance(asked, Limited) else None
    choices = [step if step.among is None else step.among for step in steps]
    rule = next((each.mechanism for each in choices if isinstance(each.mechanism, KeepRule)), None)
    if rule is None:
        return AnswerFacts(limits)
    return AnswerFacts(limits, rule.likely_kept(CONFIDENCE), rule.likely_kept(_EVEN))
