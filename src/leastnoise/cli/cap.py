"""`leastnoise cap`: a smaller budget inside the total, for one analyst, period or project."""

from pathlib import Path
from typing import Annotated

import typer

from leastnoise._check import refuse
from leastnoise.cli.screen import show_json
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP


def cap(
    ledger: Annotated[str, typer.Argument(help="A ledger's file or postgresql:// URL.")],
    label: Annotated[str, typer.Argument(help="Whose budget it is, such as analyst=ann.")],
    epsilon: Annotated[str | None, typer.Option(help="ε of the limit.")] = None,
    delta: Annotated[str | None, typer.Option(help="δ of the limit, beside ε.")] = None,
    rho: Annotated[str | None, typer.Option(help="ρ of the limit, instead of ε.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Give a label a budget of its own inside the total; the latest one for a label holds.

    Exit status 1 if more was spent already: nothing was written then.
    """
    if "://" not in ledger and not Path(ledger).exists():
        raise refuse("the ledger must exist", "no such file", "Check the path.")
    name, mark, value = label.partition("=")
    if not (name and mark and value):
        raise refuse("a label must be a name and a value", "another", "Write analyst=ann.")
    opened, limit = Ledger(ledger), _limit(epsilon, delta, rho)
    entry = opened.cap(name, value, limit)
    left = opened.remaining_for(name, value)
    if as_json:
        show_json({"line": entry.number, "limit": repr(limit), "remaining": repr(left)})
    else:
        print(f"line {entry.number}: {name} {value} may spend {limit!r}; {left!r} is left")


def _limit(epsilon: str | None, delta: str | None, rho: str | None) -> Guarantee:
    match epsilon, delta, rho:
        case str(), None, None:
            return PureDP(epsilon=epsilon)
        case str(), str(), None:
            return ApproxDP(epsilon=epsilon, delta=delta)
        case None, _, str():
            return ZCDP(rho=rho, delta=delta or 0)
    raise refuse(
        "a limit must be --epsilon, --epsilon with --delta, or --rho", "others", "Give one of them."
    )
