"""The commands `ledger create`, `show`, `cap` and `verify`."""

from bisect import bisect_left
from typing import Annotated, Any

import typer

from leastnoise.cli.named import ledger_of, open_ledger
from leastnoise.cli.options import JsonOption
from leastnoise.cli.output import WIDTH, bad_input, folded, show, show_json, tell
from leastnoise.ledger.costs import cap_sentences
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.meters import Meters, Price
from leastnoise.numbers.exact import whole

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"max_content_width": WIDTH},
    help="Make a ledger, show what was spent, check it.",
)

PathArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="The .ledger, or the .toml that names it.")
]

_MOST_RELEASES = 10**6


@app.command(no_args_is_help=True)
def create(
    path: PathArgument,
    epsilon: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="For everything, ever: 1 to 6; less is stricter."),
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Well below 1 / people, such as 1e-7; 0: Laplace noise only, no groups auto.",
        ),
    ] = None,
    rho: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="In place of epsilon: a total in zCDP."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--privacy-unit",
            metavar="NAME",
            help="Who is protected, in the singular: patient. A .toml names it.",
        ),
    ] = None,
) -> None:
    """Make the budget for everything that will ever be released."""
    place, source, named = ledger_of(path)
    if named is not None and unit not in (None, named):
        raise bad_input(f'{path} names the privacy unit "{named}". Leave --privacy-unit out.')
    chosen = named or unit
    if chosen is None:
        raise bad_input("Who is protected? Name them in the singular:  --privacy-unit patient")
    if epsilon is None and rho is None:
        raise bad_input("How much may everything together cost?  --epsilon 3 --delta 1e-7")
    existed = place.exists()
    made = Ledger.create(place, privacy_unit=chosen, epsilon=epsilon, delta=delta, rho=rho)
    show(folded(made.view().header[0] + "."))
    if existed:
        tell("It was there already, with these totals.")
    elif source is not None:
        tell(f"Keep it where it lasts. Next:  leastnoise preview {source}")


@app.command("show", no_args_is_help=True)
def show_ledger(
    path: PathArgument,
    release: Annotated[
        str | None,
        typer.Option("--release", metavar="NUMBER", help="Show the answer of this release again."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """What was spent, by whom, and what is left."""
    ledger = open_ledger(*ledger_of(path))
    if release is not None:
        show(ledger.entries[whole(release, "--release")].result)
    elif json:
        show_json(_data(ledger))
    else:
        show(ledger)


@app.command(no_args_is_help=True)
def verify(path: PathArgument) -> None:
    """Check the whole file: nothing was changed or lost."""
    ledger = open_ledger(*ledger_of(path))
    ledger.verify()
    count = len(ledger.entries)
    show(f"{ledger.name} is whole: {count:,} release{'s' if count != 1 else ''}, none changed.")


@app.command(no_args_is_help=True)
def cap(
    path: PathArgument,
    analyst: Annotated[str, typer.Argument(metavar="NAME", help="As in --analyst of a release.")],
    epsilon: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="What these releases may cost together.")
    ] = None,
    rho: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="The same on a ledger in rho.")
    ] = None,
) -> None:
    """Limit what one analyst may spend."""
    ledger = open_ledger(*ledger_of(path))
    ledger.cap(analyst, epsilon=epsilon, rho=rho)
    show("\n".join(cap_sentences(ledger.store)))


def _data(ledger: Ledger) -> dict[str, Any]:
    left, entries = ledger.remaining, ledger.entries
    return {
        "ledger": ledger.name,
        "privacy_unit": ledger.privacy_unit,
        "guarantee": repr(ledger.guarantee),
        "spent": float(ledger.store.meters.spent),
        "left": vars(left),
        "releases_left_at_last_price": _releases_left(ledger),
        "caps": {name: str(amount) for name, amount in ledger.store.caps.items()},
        "unfinished": ledger.unfinished,
        "releases": [
            {
                "number": entry.number,
                "time": entry.time.isoformat(),
                "analyst": entry.analyst,
                "title": entry.title,
                "sql": entry.sql,
                "asked": entry.amount,
                "finished": entry.finished,
            }
            for entry in entries.values()
        ],
    }


def _releases_left(ledger: Ledger) -> int | None:
    """How many releases at the price of the last one still fit; None if there is none."""
    entries = list(ledger.store.entries.values())
    if not entries:
        return None
    meters, price = ledger.store.meters, entries[-1].price
    counts = range(1, _MOST_RELEASES)
    return bisect_left(counts, True, key=lambda count: not _fit(meters, price, count))


def _fit(meters: Meters, price: Price, count: int) -> bool:
    epsilon = None if price.epsilon is None else count * price.epsilon
    many = Price(epsilon, count * price.squared_mu, count * price.rho, count * price.delta)
    return meters.fits(many)
