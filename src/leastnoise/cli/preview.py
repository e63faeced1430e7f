"""`leastnoise preview`: the error of every answer, before any data is read or budget spent."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from leastnoise._check import refuse, shown
from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.screen import show_json, show_table, show_text
from leastnoise.errors import BudgetExceeded, LedgerMissing
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.release.ask.location import declared_in
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.plan import Plan
from leastnoise.release.price.wanted_width import Within
from leastnoise.release.questions.bounded_question import plain
from leastnoise.release.questions.unparsed_rows import UnparsedRows
from leastnoise.release.result.forecast import Forecast, SizedError
from leastnoise.release.result.preview import HEAD, CutForecast, KeysForecast, Preview

if TYPE_CHECKING:
    from leastnoise.release.over_time.schedule_preview import SchedulePreview


def preview(
    plan: PlanArgument,
    within: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=WIDTH, or WIDTH for all questions: say what budget would put 95 % of the "
            "answers within it. A number is in the answer's own unit; 2% is of what is expected."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the error of every answer, before any data is read or budget spent."""
    asked = read_plan(plan)
    if within:
        _show_needed(asked, within, as_json)
    else:
        show_preview(asked, asked.labels, as_json)


def _show_needed(asked: PlanFile, within: list[str], as_json: bool) -> None:
    delta = asked.spend.delta if isinstance(asked.spend, ApproxDP) else 0
    found = asked.plan.needed_with_notes(_widths(within), delta=delta)
    if as_json:
        said = {"assumed": list(found.assumed), "warnings": list(found.warnings)}
        show_json({"needed": repr(found.budget)} | said)
        return
    for line in (f"needed: {found.budget}", *found.assumed, *found.warnings):
        show_text(line)


def _widths(within: list[str]) -> Within:
    """One width for all questions, or one for each that is named."""
    if len(within) == 1 and "=" not in within[0]:
        return within[0]
    pairs = [each.rpartition("=") for each in within]
    named = {name.strip(): width.strip() for name, _, width in pairs}
    if all(named) and all(mark for _, mark, _ in pairs) and len(named) == len(within):
        return named
    raise refuse(
        "`--within` must be one width for all questions, or a width for each name, once",
        shown(within),
        "Write --within 2%, or --within 'count=10' --within 'mean of cost=5%'.",
    )


def show_preview(asked: PlanFile, labels: dict[str, str], as_json: bool) -> bool:
    """Print forecasts, and whether the ledger has enough left; that is also the result."""
    plan = asked.plan
    if asked.steps is not None:
        return _show_schedule(asked, asked.steps.preview(asked.spend), labels, as_json)
    told = _ledger_words(asked, plan.admitted(asked.spend).costs, labels)
    return shown_preview(plan.preview(asked.spend), asked.spend, told, as_json, _about_fields(plan))


def _about_fields(plan: Plan) -> tuple[str, ...]:
    """What happens to fields that do not parse, if nobody asks how many there are."""
    names = [name for name, _ in declared_in(plan.table.location)]
    if not names or any(isinstance(plain(each), UnparsedRows) for each in plan.questions):
        return ()
    return (
        f"A field of {', '.join(names)} that is not what was declared counts as missing: ask = "
        '"unparsed" tells how many rows have one, with noise; leastnoise inspect tells the owner '
        "of the data exactly.",
    )


def shown_preview(
    forecasts: Preview,
    spend: Guarantee,
    told: tuple[bool, str],
    as_json: bool,
    notes: tuple[str, ...] = (),
) -> bool:
    """Print the forecasts of a plan, and what its ledger says to it, which is also the result."""
    fits, ledger = told
    if as_json:
        show_json(
            {
                "spend": repr(spend),
                "questions": [_facts(each) for each in forecasts],
                "keys": [_keys_facts(each) for each in forecasts.keys],
                "cuts": [_cut_facts(each) for each in forecasts.cuts],
                "ledger": ledger,
                "fits": fits,
                **({"notes": list(notes)} if notes else {}),
            }
        )
        return fits
    lines, more = forecasts.lines, [*map(_more, forecasts)]
    more += [[""] * len(_MORE) for _ in lines[len(more) :]]  # of what is no question
    rows = [[*line, *cells] for line, cells in zip(lines, more, strict=True)]
    show_table(str(spend), [*HEAD, *_MORE], rows)
    for line in (*forecasts.sentences, *notes, ledger):
        show_text(line)
    return fits


def _show_schedule(
    asked: PlanFile, told: "SchedulePreview", labels: dict[str, str], as_json: bool
) -> bool:
    fits, ledger = _ledger_words(asked, told.costs, labels)
    if as_json:
        times = [
            {
                "question": each.question,
                "of": each.of,
                "standard_error": each.standard_error,
                "half_interval_95": each.interval,
                "noise_apart": each.naive,
                "gain": each.gain,
            }
            for each in told
        ]
        show_json(
            {
                "spend": repr(asked.spend),
                "times": times,
                "times_least": told.ratio,
                "ledger": ledger,
                "fits": fits,
            }
        )
        return fits
    show_table(str(asked.spend), [*told.head], told.lines)
    for line in (*told.sentences, ledger):
        show_text(line)
    return fits


_MORE = "proved", "noise"


def _more(one: Forecast) -> list[str]:
    return [
        "" if one.ratio is None else f"≤ {nearest_float(one.ratio):.6g} × least",
        one.mechanism,
    ]


def _facts(one: Forecast) -> dict[str, Any]:
    return {
        "question": one.question,
        "answers": one.answers,
        "expected_error": one.expected_error,
        "half_interval_95": None if one.interval is None else float(one.interval),
        "expected_rows": one.expected,
        "per_row": None if one.per_row is None else _sized(one.per_row),
        "sizes": [_sized(each) for each in one.sizes],
        "assumed": one.assumed.removeprefix(", "),
        "shown_from_50": one.shown_half,
        "shown_from_95": one.shown_from,
        "share": float(one.share),
        "error_of": one.of,
        "mechanism": one.mechanism,
        "ratio": None if one.ratio is None else nearest_float(one.ratio),
        "times_least": None if one.times_least is None else nearest_float(one.times_least),
        "among": one.among,
        "advice": list(one.advice),
    }


def _cut_facts(one: CutForecast) -> dict[str, Any]:
    return {
        "name": one.name,
        "share": float(one.share),
        "half_interval_95": one.interval,
        "half_interval_95_of_units": one.units,
        "note": one.note,
    }


def _sized(one: SizedError) -> dict[str, Any]:
    return {"rows": one.rows, "expected_error": one.error, "half_interval_95": one.interval}


def _keys_facts(one: KeysForecast) -> dict[str, Any]:
    return {
        "keys": one.name,
        "questions": list(one.questions),
        "share": float(one.share),
        "shown_from_50": one.shown_half,
        "shown_from_95": one.shown_from,
    }


def _ledger_words(
    asked: PlanFile, costs: tuple[Guarantee, ...], labels: dict[str, str]
) -> tuple[bool, str]:
    """Whether a release would be granted now. A ledger that is not there yet stays so."""
    try:
        ledger = asked.opened()
    except LedgerMissing:
        return asked.total is not None, (
            f"the ledger is yet to be begun, with {asked.total!r}: release --begin"
            if asked.total is not None
            else "there is no ledger yet, and the plan names no total to begin one with"
        )
    try:
        ledger.require(costs, labels=labels, **asked.plan.table.scope.said)
    except BudgetExceeded as refusal:
        return False, str(refusal)
    return True, f"the ledger has {ledger.remaining!r} left: this fits"
