"""From priced questions to answers: exact totals first, then noise, then what users read."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.randomness.source import Source
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.table import Table
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.draw.drawn import CONFIDENCE, Drawn, Found
from leastnoise.release.draw.reading import Progress, announcing
from leastnoise.release.gate import Admitted
from leastnoise.release.measure.measure import measure
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.bounded_question import plain
from leastnoise.release.questions.cut_answers import CutAnswer, make_cut_ready
from leastnoise.release.questions.lost_rows import LostRows, is_cut, is_served, lost_rows
from leastnoise.release.questions.question import (
    CutNotTold,
    CutsColumns,
    CutsValues,
    Limited,
    Preparing,
    Question,
)
from leastnoise.release.questions.rows_left_out import RowsBeyond
from leastnoise.release.questions.told_cut import told_cut
from leastnoise.release.result.flagging import AnswerFacts, flagged
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_limit, shown_row
from leastnoise.release.spread.hats import Hats
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.secret_totals import SecretTotals
from leastnoise.release.step.step import Step
from leastnoise.release.step.unit_spread import SPREAD_WEIGHT

_EVEN = Fraction(1, 2)
_LEFT_OUT = "what the bounds leave out"
_NOT_MEASURED = "what the bounds left out is not measured for this question"
_CAP_UNUSED = ", so that most_rows makes no interval hold it"


def measured(
    admitted: Admitted,
    source: Source,
    progress: Progress | None = None,
    names: Mapping[Step, Sequence[str]] | None = None,
) -> list[tuple[SecretTotals, ...]]:
    """The exact, secret answers to what each step measures, in as few passes as there are."""
    return totals_of(admitted.table, admitted.steps, source, progress, names)


def totals_of(
    table: Table,
    steps: Sequence[Step],
    source: Source,
    progress: Progress | None = None,
    names: Mapping[Step, Sequence[str]] | None = None,
) -> list[tuple[SecretTotals, ...]]:
    """The same for steps that are yet to be admitted, or were before."""
    asked = [step.asked for step in steps]
    told = [(names or {}).get(step, (_LEFT_OUT,)) for step in steps]
    begins = announcing(progress, told)
    found = iter(measure(table, asked, source=source, progress=progress, begins=begins))
    return [tuple(islice(found, each.results)) for each in asked]


def step_names(priced: PricedPlan) -> dict[Step, list[str]]:
    """Which questions each step is drawn for; a choice of groups is for all that it serves."""
    names: dict[Step, list[str]] = {}
    for question, steps in zip(priced.questions, priced.steps, strict=True):
        chosen = [step.among for step in steps if step.among is not None]
        for step in dict.fromkeys([*chosen, *steps]):
            names.setdefault(step, []).append(question.name)
    return names


def make_answers_ready(priced: PricedPlan) -> None:
    """What answers need to know of their noise alone, found before the charge."""
    for question, given in priced.allotted():
        if isinstance(question, Preparing):
            question.make_ready(given, CONFIDENCE)
        make_cut_ready(question, given, CONFIDENCE)


def answered(priced: PricedPlan, drawn: Sequence[Drawn]) -> Iterator[ReleasedTable]:
    """The answers, question after question, from what the steps showed."""
    shown = dict(zip(priced.drawn_steps, drawn, strict=True))
    beyond = _beyond(priced, shown)
    for (question, given), steps in zip(priced.allotted(), priced.steps, strict=True):
        found = tuple(shown[step] for step in steps)
        table = _answer(priced, question, given, found, shown)
        notes = (*table.notes, *_about_values(question, beyond))
        yield flagged(changed(table, notes=notes), _facts(question, steps))


def _beyond(priced: PricedPlan, shown: Mapping[Step, Drawn]) -> dict[object, str]:
    """By column, rows and range, how many values lie beyond, where that is asked, in words."""
    found: dict[object, str] = {}
    for (question, given), steps in zip(priced.allotted(), priced.steps, strict=True):
        asked = plain(question)
        if isinstance(asked, RowsBeyond):
            told = question.answer(given, tuple(shown[step] for step in steps), CONFIDENCE)
            ends = told.lower[0].item(), told.upper[0].item()
            row = shown_row((), (int(told.values[0]), math.nan, *ends))
            found[asked.place] = f": about {row.value} ({row.interval}) of the rows that count"
    return found


def _about_values(question: Question, beyond: Mapping[object, str]) -> Iterator[str]:
    """Values beyond the bounds are in no interval; how many there are is told if it was asked."""
    asked = plain(question)
    if isinstance(asked, CutsValues) and asked.inside is not None:
        low, high = map(shown_limit, asked.inside)
        place = getattr(asked, "column", asked).name, asked.groups.where, *asked.inside
        yield (
            f"values are cut to {low} … {high}; intervals do not hold what lies "
            f"beyond{beyond.get(place, '')}"
        )
    if isinstance(asked, CutsColumns):
        parts = [f"{name} to {_words_of(grid)}" for name, grid in asked.cut_to]
        yield f"values are cut: {', '.join(parts)}; intervals do not hold what lies beyond"


def _words_of(grid: Grid) -> str:
    return f"{shown_limit(float(grid.lower))} … {shown_limit(float(grid.upper))}"


def _answer(
    priced: PricedPlan,
    question: Question,
    given: Allotment,
    found: Found,
    shown: Mapping[Step, Drawn],
) -> ReleasedTable:
    """The answers of one question, with what the bounds left out, where that is measured."""
    asked = lost_rows(question, given.table)
    if asked is None or asked.spread not in priced.cuts:
        table = question.answer(given, found, CONFIDENCE)
        return changed(table, notes=(*table.notes, *_about_cut(question, given.table, asked)))
    step = priced.cut_steps[asked.spread]
    law = priced.cuts[asked.spread].law
    hats = Hats(asked.spread.knots, shown[step].values[0], law, SPREAD_WEIGHT)
    if not is_served(question):
        table = question.answer(given, found, CONFIDENCE)
        return changed(table, cut=told_cut(question, given, found, asked, hats))
    return CutAnswer(question, given, found, asked.of(hats), asked.spread).answer(CONFIDENCE)


def _about_cut(question: Question, table: BoundedTable, asked: LostRows | None) -> Iterator[str]:
    """What is not measured, if the bounds can leave out something."""
    inner, cut = plain(question), table.cut
    if asked is None and (cut is not None or not is_cut(question, table)):
        if isinstance(inner, CutNotTold) and table.table.unit is not None:
            yield f"{_NOT_MEASURED}: {inner.why_not_told}"
        return
    unused = cut is not None and cut.most_rows is not None and not cut.is_wanted
    yield _NOT_MEASURED + (_CAP_UNUSED if unused else "")


def _facts(question: Question, steps: Sequence[Step]) -> AnswerFacts:
    """What is public of a question's answers; nothing here has seen what was drawn."""
    asked = plain(question)
    limits = asked.limits if isinstance(asked, Limited) else None
    choices = [step if step.among is None else step.among for step in steps]
    rule = next((each.mechanism for each in choices if isinstance(each.mechanism, KeepRule)), None)
    if rule is None:
        return AnswerFacts(limits)
    return AnswerFacts(limits, rule.likely_kept(CONFIDENCE), rule.likely_kept(_EVEN))
