"""The command `preview`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from leastnoise.cli.named import amounts_of, ledger_path, open_ledger, toml_file
from leastnoise.cli.options import (
    EpsilonOption,
    FileArgument,
    JsonOption,
    LedgerOption,
    NoiseOption,
    PeriodOption,
    RhoOption,
)
from leastnoise.cli.output import bad_input, folded, show, show_json, tell
from leastnoise.cli.spelling import as_options
from leastnoise.files.load import DataFile
from leastnoise.ledger.ledger import Ledger
from leastnoise.numbers.exact import exact, whole
from leastnoise.release.plan import Plan
from leastnoise.release.preview import Preview

EXAMPLE_TOTAL = {"epsilon": "6", "delta": "1e-7"}
"""Of the ledger with which a file is previewed that has none yet."""


def preview(
    file: FileArgument,
    epsilon: EpsilonOption = None,
    rho: RhoOption = None,
    noise: NoiseOption = "auto",
    rows: Annotated[
        str | None,
        typer.Option("--expected-rows", metavar="ROWS", help="How many rows a group has."),
    ] = None,
    margin: Annotated[
        str | None,
        typer.Option(
            "--margin",
            metavar="COLUMN=NUMBER",
            help="Print the epsilon that this margin needs in a group of 10,000 rows: "
            "by_city.visits=100, or of a share smokers.share=2%.",
        ),
    ] = None,
    ledger: LedgerOption = None,
    period: PeriodOption = None,
    json: JsonOption = False,
) -> None:
    """Margins to expect and the cost of a file's queries. Spends nothing."""
    described = toml_file(file)
    with _ledger_or_example(described, file, ledger) as budget:
        if period is not None:
            schedule = described.schedule(period.rpartition("=")[0], budget)
            text = str(schedule) if schedule.entry else f"{schedule.preview()}\n\n{schedule}"
            show_json(_preview_data(schedule.preview())) if json else show(as_options(text))
            return
        plan = described.plan()
        amounts = amounts_of(epsilon, rho, described.amounts)
        if margin is not None:
            _show_needed(plan, budget, margin, json)
            return
        expected = None if rows is None else whole(rows, "--expected-rows")
        seen = plan.preview(
            budget, epsilon=amounts[0], rho=amounts[1], noise=noise, expected_rows=expected
        )
        show_json(_preview_data(seen)) if json else show(as_options(str(seen)))


@contextmanager
def _ledger_or_example(file: DataFile, typed: str, ledger: str | None) -> Iterator[Ledger]:
    """The ledger; if it is not there yet, one with an example's budget that is thrown away."""
    path = ledger_path(file, ledger)
    if path.exists():
        yield open_ledger(path, typed)
        return
    with TemporaryDirectory(prefix="leastnoise-") as folder:
        yield Ledger.create(Path(folder) / path.name, privacy_unit=file.unit, **EXAMPLE_TOTAL)
    options = " ".join(f"--{name} {value}" for name, value in EXAMPLE_TOTAL.items())
    tell(
        f"\nThere is no ledger {path} yet. This is for one with epsilon "
        f"{EXAMPLE_TOTAL['epsilon']}, delta {EXAMPLE_TOTAL['delta']}. To make it:\n"
        f"  leastnoise ledger create {typed} {options}"
    )


def _show_needed(plan: Plan, ledger: Ledger, margin: str, json: bool) -> None:
    column, equals, number = margin.rpartition("=")
    if not equals or not column:
        raise bad_input(f'--margin is "{margin}". Write --margin by_city.visits=100.')
    width = exact(number.removesuffix("%"), "--margin") / (100 if number.endswith("%") else 1)
    needed = plan.needed_epsilon(ledger, margin=float(width), column=column)
    if json:
        show_json({"column": column, "margin": float(width), "epsilon": needed})
        return
    left = ledger.remaining
    fits = "" if needed <= left.epsilon else f" The most that is left is {left.epsilon:g}."
    show(folded(f"{column} ± {number} needs epsilon {needed:g} for all queries together.{fits}"))


def _preview_data(found: Preview) -> dict[str, Any]:
    return {
        "title": found.title,
        "asked": str(found.asked),
        "ledger": found.ledger,
        "part_of_ledger": round(found.cost, 6),
        "fits": found.meters.fits(found.choice.proposal.price),
        "law": found.choice.proposal.family,
        "margins": {
            f"{query}.{column}": found.margin(f"{query}.{column}", found.expected_rows or 10_000)
            for query, select in found.selects.items()
            for column in select.aggregates
        },
        "expected_rows": found.expected_rows or 10_000,
        "mechanisms": found.mechanisms,
    }
