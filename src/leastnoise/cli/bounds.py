"""`leastnoise bounds`: what bounds would cut off and what noise they need, to decide by hand."""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from leastnoise._check import refuse, shown
from leastnoise.cli.charging import Charging
from leastnoise.cli.confirm import YesOption, confirm
from leastnoise.cli.declared import Option
from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.preview import person_of
from leastnoise.cli.progress import progress
from leastnoise.cli.screen import show_json, show_table, show_text
from leastnoise.ledger.ahead import ahead
from leastnoise.people import UNKNOWN, said_count
from leastnoise.privacy.guarantee import ZCDP, PureDP
from leastnoise.privacy.spoken import said
from leastnoise.release.bounds_look import BoundRow, BoundsLook, bounds_look
from leastnoise.release.file.plan_file import PlanFile
from leastnoise.release.result.forecast import shown_error

_KINDS = (".svg", ".png", ".html", ".json")
_HEAD = ("question", "bound", "value", "cut", "at most", "noise", "error", "advice")


def bounds(
    plan: PlanArgument,
    spend: Annotated[
        str,
        Option(help="What to spend on it: of ε, or of ρ if the plan spends ρ; such as 0.05."),
    ],
    picture: Annotated[
        Path | None, Option(help="Write the curves to a file: .svg, .png, .html or .json.")
    ] = None,
    as_json: JsonOption = False,
    yes: YesOption = False,
) -> None:
    """Spend a little on how units spread; show what each bound would cut off and cost.

    The ledger must have been begun. It says what it would spend and asks first, unless --yes is
    given. What is spent is charged before any noise is drawn.
    """
    asked = read_plan(plan, choosing=True)
    price = _price(asked, spend)
    _refuse_no_place(picture)
    ledger = asked.opened_as(Charging)
    _confirm(asked, price, ledger, yes=yes)
    found = _looked(asked, price, ledger)
    if as_json:
        show_json({"spent": repr(price), "bounds": [asdict(each) for each in found]})
    else:
        show_table(f"spent: {said(price)}", _HEAD, [_cells(each) for each in found])
        for line in _sentences(found):
            show_text(line, hanging="  ")
    if picture is not None:  # last: the numbers were paid for
        found.plot().save(picture)


def _refuse_no_place(picture: Path | None) -> None:
    """Checks, before anything is spent, that there can be such a picture."""
    if picture is not None and (picture.suffix not in _KINDS or not picture.parent.is_dir()):
        raise refuse(
            "`--picture` must be a file in a folder that is there, of a kind that can be drawn",
            shown(str(picture)),
            f"Write one of: {', '.join(_KINDS)}.",
        )


def _looked(asked: PlanFile, price: PureDP | ZCDP, ledger: Charging) -> BoundsLook:
    with ledger.answering(asked.plan.digest, "the look"), progress("reading the data") as tick:
        return bounds_look(
            asked.plan,
            price,
            budget=asked.spend,
            ledger=ledger,
            labels=asked.labels,
            purpose=f"a look at bounds for {asked.purpose}",
            progress=tick,
        )


def _confirm(asked: PlanFile, price: PureDP | ZCDP, ledger: Charging, *, yes: bool) -> None:
    """Say what would be spent, and ask."""
    if yes:
        return
    ahead_ = ahead(ledger, (price,), asked.labels, **asked.plan.table.scope.said)
    if ahead_.fits:
        question = f"Look at how much each {person_of(asked.plan)} has, and spend {said(price)}?"
        confirm(question, [*ahead_.lines("now"), "What is spent stays spent."], "Look?", yes=yes)


def _price(asked: PlanFile, spend: str) -> PureDP | ZCDP:
    price = ZCDP(rho=spend) if isinstance(asked.spend, ZCDP) else PureDP(epsilon=spend)
    if price in (ZCDP(rho=0), PureDP(epsilon=0)):
        raise refuse("`--spend` must be above 0", spend, "0.05 is a small part of ε = 1.")
    return price


def _cells(one: BoundRow) -> list[str]:
    return [
        one.question,
        one.bound,
        str(one.value),
        said_count(round(one.cut)),
        UNKNOWN if one.cut_most is None else said_count(math.ceil(one.cut_most)),
        shown_error(one.noise),
        shown_error(one.error),
        "least" if one.advised else "",
    ]


def _sentences(found: BoundsLook) -> list[str]:
    """What to write into the plan, and what the numbers rest on."""
    best = [each for each in found if each.advised]
    told = [f"{each.question}: {each.bound} = {each.value}" for each in best]
    return [
        f"Least error, as far as was seen: {'; '.join(told)}. Write it below the question, or "
        "under [bounds] for all.",
        "All are of one answer, in rows, on average. What is cut off is an estimate, and it is "
        '"at most" so much with 95 %.',
        *dict.fromkeys(filter(None, (_doubt(each, found) for each in best))),
    ]


def _doubt(one: BoundRow, found: BoundsLook) -> str:
    """What a small spend cannot see, and what is safe."""
    if one.cap is None:
        return (
            f"{one.question}: some may have more than was seen, {one.seen}, and what "
            "they would lose is in no figure. Declare most_rows, the most rows that anybody has."
        )
    same = (one.question, one.bound, one.cap)
    safe = next(each for each in found if (each.question, each.bound, each.value) == same)
    if one.cut_most is None or one.cut_most <= safe.noise:
        return ""
    return (
        f"{one.question}: {one.bound} = {one.cap}, the most that was declared, leaves out nothing "
        f"and has a mean error of {shown_error(safe.noise)}. What was spent is too little to rule "
        f"out that {one.bound} = {one.value} leaves out {said_count(math.ceil(one.cut_most))} rows."
    )
