"""`leastnoise preview`: the error of every answer, before any data is read or budget spent."""

from typing import Annotated, Any

import typer

from leastnoise._check import refuse, shown
from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.screen import show_json, show_table, show_text
from leastnoise.errors import BudgetExceeded, LedgerMissing
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.privacy.guarantee import ApproxDP, Guarantee
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.price.advice import advised
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.result.forecast import LEAST, Forecast, shown_ratio


def preview(
    plan: PlanArgument,
    within: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=NUMBER: say what budget would put 95 % of a question's answers within it."
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
    pairs = [each.rpartition("=") for each in within]
    if not all(name and mark for name, mark, _ in pairs):
        raise refuse("`--within` must be a name and a number", shown(within), "Write 'count=10'.")
    delta = asked.spend.delta if isinstance(asked.spend, ApproxDP) else 0
    budget = asked.plan.needed({name: number for name, _, number in pairs}, delta=delta)
    show_json({"needed": repr(budget)}) if as_json else show_text(f"needed: {budget}")


def show_preview(asked: PlanFile, labels: dict[str, str], as_json: bool) -> bool:
    """Print forecasts, and whether the ledger has enough left; that is also the result."""
    plan = asked.plan
    priced = PricedPlan.of(plan.bounded, plan.questions, asked.spend)
    forecasts = advised(priced, asked.spend)
    fits, ledger = _ledger_words(asked, priced.admitted(asked.spend).costs, labels)
    if as_json:
        show_json(
            {
                "spend": repr(asked.spend),
                "questions": [_facts(each) for each in forecasts],
                "ledger": ledger,
                "fits": fits,
            }
        )
        return fits
    show_table(str(asked.spend), _HEAD, [_row(each) for each in forecasts])
    for line in forecasts.about_least:
        show_text(line)
    for each in forecasts:
        for hint in each.advice:
            show_text(f"{each.question}: {hint}.")
    show_text(ledger)
    return fits


_HEAD = ("question", "answers", "mean |error|", "95 % within", "budget", LEAST, "proved", "noise")


def _row(one: Forecast) -> list[str]:
    of = "" if one.of == "answer" else f" ({one.of})"
    return [
        one.question,
        "those found" if one.answers is None else str(one.answers),
        f"{one.expected_error:.4g}{of}",
        f"±{float(one.interval):.4g}{of}",
        f"{100 * float(one.share):.1f} %",
        shown_ratio(one.times_least),
        "" if one.ratio is None else f"≤ {nearest_float(one.ratio):.6g} × least",
        one.mechanism,
    ]


def _facts(one: Forecast) -> dict[str, Any]:
    return {
        "question": one.question,
        "answers": one.answers,
        "expected_error": one.expected_error,
        "half_interval_95": float(one.interval),
        "share": float(one.share),
        "error_of": one.of,
        "mechanism": one.mechanism,
        "ratio": None if one.ratio is None else nearest_float(one.ratio),
        "times_least": None if one.times_least is None else nearest_float(one.times_least),
        "among": one.among,
        "advice": list(one.advice),
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
