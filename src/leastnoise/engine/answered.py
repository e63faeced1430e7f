"""From priced questions to answers: exact totals first, then choices of groups, then noise."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from leastnoise.engine.histograms import Histograms
from leastnoise.engine.key_selection import KeySelection, restricted
from leastnoise.engine.measure import measure
from leastnoise.engine.measurement import Answer, Measurement
from leastnoise.engine.priced import CONFIDENCE, Priced
from leastnoise.engine.released_table import ReleasedTable
from leastnoise.randomness.source import Source

Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Secrets:
    """The exact answer for each choice of groups, and those of each question."""

    choices: tuple[Answer, ...]
    questions: tuple[tuple[Answer, ...], ...]


def measured(priced: Priced, source: Source, progress: Progress | None = None) -> Secrets:
    """Everything that has to be known of the data, in as few passes as there are shapes."""
    choices = [each.measurement(priced.bounds) for each in priced.rules]
    own = [question.measurements(priced.bounds) for question in priced.questions]
    asked = [*choices, *chain(*own)]
    found = iter(measure(priced.table, asked, source=source, progress=progress))
    return Secrets(
        tuple(islice(found, len(choices))),
        tuple(tuple(islice(found, sum(map(_answers, part)))) for part in own),
    )


def _answers(asked: Measurement | Histograms) -> int:
    """How many answers `measure` gives."""
    return asked.answers if isinstance(asked, Histograms) else 1


def answered(priced: Priced, exact: Secrets, source: Source) -> Iterator[ReleasedTable]:
    """The answers with noise, question after question."""
    shown = {
        choice: choice.select(rule, secret, source)
        for (choice, rule), secret in zip(priced.rules.items(), exact.choices, strict=True)
    }
    for question, given, found in zip(
        priced.questions, priced.grants, exact.questions, strict=True
    ):
        own = found
        if question.groups.are_private:
            kept = shown[KeySelection.of(question.groups)]
            own = tuple(restricted(secret, kept) for secret in found)
        yield question.answer(given, own, CONFIDENCE, source)
