"""`leastnoise preview`: the error of every answer, before any data is read or budget spent."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from leastnoise._check import refuse, shown
from leastnoise.accounting.pricing import as_amounts
from leastnoise.cli.declared import Option
from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.screen import show_json, show_table, show_text, show_warning
from leastnoise.errors import LeastNoiseError, LedgerMissing
from leastnoise.ledger.ahead import Ahead, ahead, ahead_of_beginning, earlier_line, earlier_words
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people import many
from leastnoise.people.digits import DOWN, UP
from leastnoise.people.persons import called, person
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.privacy.spoken import said
from leastnoise.release.ask.location import declared_in
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.plan import Plan
from leastnoise.release.price.needed_budget import worth_words
from leastnoise.release.price.wanted_width import Within
from leastnoise.release.questions.bounded_question import plain
from leastnoise.release.questions.unparsed_rows import UnparsedRows
from leastnoise.release.result.forecast import Forecast, SizedError
from leastnoise.release.result.preview import HEAD, CutForecast, KeysForecast, Preview

_PAID = "The schedule was begun: all its steps are paid for, and a step costs nothing more."

if TYPE_CHECKING:
    from leastnoise.release.over_time.schedule_preview import SchedulePreview


def preview(
    plan: PlanArgument,
    within: Annotated[
        list[str] | None,
        Option(
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
        show_preview(asked, asked.labels, as_json, plan)


def _show_needed(asked: PlanFile, within: list[str], as_json: bool) -> None:
    delta = asked.spend.delta if isinstance(asked.spend, ApproxDP) else 0
    found = asked.plan.needed_with_notes(_widths(within), delta=delta)
    if as_json:
        told = {"assumed": list(found.assumed), "warnings": list(found.warnings)}
        show_json({"needed": repr(found.budget)} | told)
        return
    for line in (f"needed: {said(found.budget, rule=UP)}", *found.assumed, *found.warnings):
        show_text(line, hanging="  ")


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


def show_preview(
    asked: PlanFile, labels: dict[str, str], as_json: bool, path: Path | None = None
) -> bool:
    """Print forecasts, and whether the ledger has enough left; that is also the result.

    Args:
        asked: the plan.
        labels: whose budget it would count against.
        as_json: whether a program reads it.
        path: where the plan is, to say how to go on.
    """
    plan = asked.plan
    if asked.steps is not None:
        return _show_schedule(asked, asked.steps.preview(asked.spend), labels, as_json, path)
    found = budget_ahead(asked, plan.admitted(asked.spend).costs, labels)
    notes = _about_fields(plan)
    fits = shown_preview(
        plan.preview(asked.spend),
        asked.spend,
        found,
        as_json,
        notes,
        _title(asked),
        person_of(plan),
    )
    if not as_json:
        _show_next(asked, found, path)
    return fits


def person_of(plan: Plan) -> str:
    """What to call whoever a plan protects."""
    return person(plan.publication.unit_name, plan.table.unit)


def _title(asked: PlanFile) -> str:
    about = f"{asked.dataset}: " if asked.dataset else ""
    return f"{about}{many(len(asked.plan.questions), 'question')} for {said(asked.spend)}"


def _show_next(asked: PlanFile, found: Ahead, path: Path | None) -> None:
    """What was released already, what would fit, and the command that releases."""
    try:
        ledger = asked.opened()
    except LeastNoiseError:
        ledger = None
    if ledger is not None:
        earlier = earlier_line(ledger, asked.plan.digest)
        if earlier is not None:
            show_text(f"{earlier_words(earlier, ledger)} {_again(asked, ledger)}", indent="  ")
    if not found.fits:
        for line in _way_out(asked, found):
            show_text(line, indent="  ")
    if ledger is None and asked.total is not None:
        show_text(f"The ledger is yet to be begun, with {said(asked.total)}.", indent=" " * 10)
    if found.fits and path is not None:
        begin = " --begin" if ledger is None else ""
        show_text(f"Next    leastnoise release {path}{begin}", indent="  ")


def _again(asked: PlanFile, ledger: Ledger) -> str:
    """What one more release of a plan would cost."""
    if asked.store and asked.plan.stored(asked.spend, ledger=ledger):
        return (
            "It is in store: again gives the same answers, at no cost, whether or not rows have "
            "changed since."
        )
    return "Again costs again."


def _way_out(asked: PlanFile, found: Ahead) -> Iterator[str]:
    """What the plan would give for what is left, if that is of the same kind."""
    left = () if found.before is None else found.before.remaining
    less = next((each for each in left if type(each) is type(asked.spend)), None)
    if less is None or not all(as_amounts(less)):
        return
    try:
        before, after = asked.plan.preview(asked.spend), asked.plan.preview(less)
    except LeastNoiseError:
        return
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if a.interval and b.interval]
    told = ""
    if pairs:
        now, then = pairs[0]
        told = f": {then.question} gets noise of {then.interval_words} instead of "
        told += now.interval_words
    yield f"With {said(less, rule=DOWN)} it fits{told}."


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
    found: Ahead,
    as_json: bool,
    notes: tuple[str, ...] = (),
    title: str = "",
    who: str = "unit",
) -> bool:
    """Print the forecasts of a plan, and what its ledger says to it, which is also the result."""
    worth = weak_words(spend)
    if as_json:
        show_json(
            {
                "spend": repr(spend),
                "questions": [_facts(each) for each in forecasts],
                "keys": [_keys_facts(each) for each in forecasts.keys],
                "cuts": [_cut_facts(each) for each in forecasts.cuts],
                "ledger": found.verdict,
                "fits": found.fits,
                **({"notes": list(notes)} if notes else {}),
                **({"warnings": list(worth)} if worth else {}),
            }
        )
        return found.fits
    show_table(f"{title or str(spend)}. Nothing is read or spent.", HEAD, forecasts.lines)
    for line in (*forecasts.sentences, *notes):
        show_text(called(line, who), hanging="  ")
    print()
    for line in worth:
        show_warning(line)
    show_budget(found)
    return found.fits


def weak_words(spend: Guarantee) -> tuple[str, ...]:
    """What a promise is worth, if that is next to nothing."""
    return worth_words(spend.epsilon) if isinstance(spend, PureDP | ApproxDP) else ()


def show_budget(found: Ahead) -> None:
    """The budget as a sum, or why it does not suffice."""
    if found.after is None:
        show_text(found.verdict, hanging="  ") if found.unknown else show_warning(found.verdict)
        return
    sums = budget_sums(found.after, found.before)
    for number, each in enumerate(sums):
        last = " It fits." if number == len(sums) - 1 else ""
        head = "Budget  " if not number else " " * 8
        words = f"{each.letter}: {each.words('for this plan')}.{last}"
        show_text(words, indent=f"  {head}", hanging="   ")
    for line in held_words(found.after):
        show_text(line, indent=" " * 10)


def _show_schedule(
    asked: PlanFile,
    told: "SchedulePreview",
    labels: dict[str, str],
    as_json: bool,
    path: Path | None,
) -> bool:
    found = budget_ahead(asked, told.costs, labels)
    begun = _is_begun(asked)
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
                "ledger": _PAID if begun else found.verdict,
                "fits": begun or found.fits,
            }
        )
        return begun or found.fits
    show_table(f"{_title(asked)}. Nothing is read or spent.", [*told.head], told.lines)
    for line in told.sentences:
        show_text(line, hanging="  ")
    print()
    for line in weak_words(asked.spend):
        show_warning(line)
    if begun:
        show_text(_PAID, indent="  ")
    else:
        show_budget(found)
    if path is not None and (begun or found.fits):
        begin = "" if _is_there(asked) else " --begin"
        more = "" if begun else f"{begin} --begin-schedule"
        show_text(f"Next    leastnoise release {path}{more}", indent="  ")
    return begun or found.fits


def _is_begun(asked: PlanFile) -> bool:
    """Whether the ledger has the plan's schedule, all of whose steps are paid for then."""
    assert asked.steps is not None, "a plan with a schedule"
    try:
        asked.steps.released_steps(ledger=asked.opened())
    except LeastNoiseError:
        return False
    return True


def _is_there(asked: PlanFile) -> bool:
    """Whether there is a ledger."""
    try:
        asked.opened()
    except LeastNoiseError:
        return False
    return True


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


def budget_ahead(asked: PlanFile, costs: tuple[Guarantee, ...], labels: dict[str, str]) -> Ahead:
    """What a release would leave. A ledger that is not there yet stays so."""
    try:
        ledger = asked.opened()
    except LedgerMissing:
        return ahead_of_beginning(asked.total, asked.mode, costs)
    return ahead(ledger, costs, labels, **asked.plan.table.scope.said)
