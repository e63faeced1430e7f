"""`leastnoise cap`: a smaller budget inside the total, for one analyst, period or project."""

from typing import Annotated

from leastnoise._check import refuse, shown
from leastnoise.cli.declared import Argument, Option
from leastnoise.cli.guarantee_option import DeltaOption, EpsilonOption, RhoOption, guarantee_of
from leastnoise.cli.screen import show_json, show_text
from leastnoise.ledger.ledger import Ledger
from leastnoise.people.digits import DOWN
from leastnoise.privacy.spoken import said


def cap(
    ledger: Annotated[str, Argument(help="A ledger's file or postgresql:// URL.")],
    label: Annotated[str, Argument(help="Whose budget it is, such as analyst=ann.")],
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    rho: RhoOption = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON.")] = False,
) -> None:
    """Give a label a budget of its own inside the total; the latest one for a label holds.

    Exit status 1 if more was spent already: nothing was written then.
    """
    name, mark, value = label.partition("=")
    if not (name and mark and value):
        raise refuse("a label must be a name and a value", shown(label), "Write analyst=ann.")
    opened, limit = Ledger(ledger), guarantee_of(epsilon, delta, rho)
    entry = opened.cap(name, value, limit)
    left = opened.remaining_for(name, value)
    if as_json:
        show_json({"line": entry.number, "limit": repr(limit), "remaining": repr(left)})
    else:
        show_text(
            f"line {entry.number}: {name} {value} may spend {said(limit)}, of which "
            f"{said(left, rule=DOWN)} is left; of the total, {said(opened.remaining, rule=DOWN)} "
            "is left for all"
        )
