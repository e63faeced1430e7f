"""From priced questions to answers: exact totals first, then noise, then what users read."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from leastnoise.randomness.source import Source
from leastnoise.release.draw.drawn import CONFIDENCE, Drawn
from leastnoise.release.gate import Admitted
from leastnoise.release.measure.measure import measure
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.question import Preparing
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.step.secret_totals import SecretTotals

Progress = Callable[[int, int], None]


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
        yield question.answer(given, tuple(shown[step] for step in steps), CONFIDENCE)
