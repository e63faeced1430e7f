"""`leastnoise inspect`: exact counts for the owner of the data, marked as not private."""

from dataclasses import asdict

from leastnoise.cli.plan_argument import JsonOption, PlanArgument, read_plan
from leastnoise.cli.progress import progress
from leastnoise.cli.screen import show_json, show_table, show_text
from leastnoise.release.inspection import inspection

_WARNING = (
    "NOT PRIVATE: exact counts of the data, for their owner alone. "
    "Publish none of them: no budget pays for that."
)


def inspect(plan: PlanArgument, as_json: JsonOption = False) -> None:
    """NOT PRIVATE: show the data's owner what does not parse, lies outside bounds or is left out.

    It writes no file and spends nothing; what it prints is exact, and must not be published.
    """
    asked = read_plan(plan, choosing=True).plan
    with progress("reading the data"):
        found = inspection(asked)
    if as_json:
        show_json({"private": False, "warning": _WARNING, "counts": [asdict(e) for e in found]})
        return
    show_text(_WARNING)
    rows = [[each.what, each.about, f"{each.count:,}"] for each in found]
    show_table("exact counts, NOT PRIVATE", ("what", "column", "exact count"), rows)
    show_text(_WARNING)
