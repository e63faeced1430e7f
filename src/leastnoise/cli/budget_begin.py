"""`leastnoise budget begin`, `grant` and `move`: what an owner does once for a ledger."""

from pathlib import Path
from typing import Annotated, Any

from leastnoise._check import refuse
from leastnoise.cli.declared import Argument, Option
from leastnoise.cli.guarantee_option import DeltaOption, EpsilonOption, RhoOption, guarantee_of
from leastnoise.cli.plan_argument import (
    JsonOption,
    describes_data,
    ledger_of,
    read_dataset,
    read_plan,
)
from leastnoise.cli.screen import show_json, show_text
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.place import store_of
from leastnoise.ledger.postgres_store import PostgresStore
from leastnoise.privacy.spoken import said
from leastnoise.release.file.anchor import refuse_new

_Place = Annotated[
    str,
    Argument(help="A plan or dataset in TOML, or a ledger's file or postgresql:// URL."),
]
_Url = Annotated[str, Argument(help="A ledger's postgresql:// URL, as its owner.")]


def begin(
    place: _Place,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    rho: RhoOption = None,
    mode: Annotated[str | None, Option(help="How charges add up.")] = None,
    split: Annotated[
        list[str] | None,
        Option(help="A share of δ for one way of adding up, such as zcdp=0.9; repeated."),
    ] = None,
    dataset: Annotated[str, Option(help="The name of the data.")] = "",
    unit: Annotated[str, Option(help="Whose row it is: a column, or row.")] = "",
    neighbours: Annotated[str, Option(help="add_remove or replace.")] = "",
    grant: Annotated[
        list[str] | None, Option(help="PostgreSQL: a role that may charge; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Begin a ledger, once: with the total and the data that a plan names, or that are named here.

    Exit status 2 if there is one already, or was when a release was written where the plan says.
    """
    if describes_data(Path(place)):
        _refuse_options(mode, dataset, unit, neighbours, *(split or []))
        described = read_dataset(Path(place))
        total = described.total
        if total is None or any((epsilon, delta, rho)):
            total = guarantee_of(epsilon, delta, rho)
        at = ledger_of(described)
        roles = _roles(str(at), grant)
        scope: dict[str, Any] = {**described.scope.said}
        ledger = Ledger(at, total=total, begin=True, **scope)
    elif Path(place).suffix.lower() == ".toml":
        _refuse_options(epsilon, delta, rho, mode, dataset, unit, neighbours, *(split or []))
        asked = read_plan(Path(place), choosing=True)
        refuse_new(asked.folder)
        roles = _roles(str(asked.ledger), grant)
        ledger = asked.opened(begin=True)
    else:
        roles = _roles(place, grant)
        ledger = Ledger(
            place,
            total=guarantee_of(epsilon, delta, rho),
            mode=mode,
            split=_shares(split),
            dataset=dataset,
            unit=unit,
            neighbours=neighbours,
            begin=True,
        )
    for store, role in roles:
        store.grant(role)
    _show_begun(ledger, as_json)


def _shares(split: list[str] | None) -> dict[str, str] | None:
    return {name: share for name, _, share in (each.partition("=") for each in split or [])} or None


def _roles(place: str, names: list[str] | None) -> list[tuple[PostgresStore, str]]:
    """Whom to let in, and where; refused of a file before anything is begun."""
    return [(_postgres(place), name) for name in names or []]


def grant(url: _Url, role: Annotated[str, Argument(help="Who may charge.")]) -> None:
    """Let a role charge a ledger on PostgreSQL: it may read and add lines, and nothing else."""
    _postgres(url).grant(role)
    print(f"granted: {role} may read the ledger and add lines")


def move(
    url: _Url, schema: Annotated[str, Argument(help="Where it is now, such as public.")]
) -> None:
    """Take over a PostgreSQL ledger that an earlier version made, with all that was spent."""
    _postgres(url).move(schema)
    show_text(f"moved: line {len(Ledger(url).history())} is the last; seal {Ledger(url).seal}")


def _postgres(place: str) -> PostgresStore:
    store = store_of(place)
    if isinstance(store, PostgresStore):
        return store
    raise refuse(
        "roles and schemas are of a postgresql:// URL",
        "a file",
        "Who may charge a file is who may write it: set its permissions.",
    )


def _refuse_options(*given: str | None) -> None:
    if any(given):
        raise refuse(
            "a plan says itself what its ledger is begun with",
            "options beside it",
            "Write them into the plan, or name the ledger instead of the plan.",
        )


def _show_begun(ledger: Ledger, as_json: bool) -> None:
    if as_json:
        show_json({"ledger": ledger.name, "total": repr(ledger.total), "seal": ledger.seal})
    else:
        show_text(begun_words(ledger))
        show_text(f"seal {ledger.seal}")


def begun_words(ledger: Ledger) -> str:
    """What was done, in words."""
    about = ", ".join(f"{name} {value}" for name, value in ledger.about.said.items())
    return f"A new ledger, {ledger.name}, was begun with {said(ledger.total)}" + (
        f" for {about}." if about else "."
    )
