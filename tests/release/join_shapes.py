"""Every allowed shape of a join of two tables and a public one, and wrong ones beside them."""

from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement, product
from typing import Any

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.location import StoredLocation
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.per_unit import Total
from leastnoise.release.measure.sources import (
    CountOf,
    GreatestOf,
    LeastOf,
    MeanOf,
    Rows,
    Stored,
    SumOf,
    filtered,
    mapped,
    owned,
    per_unit,
    public,
    public_filtered,
    public_mapped,
    referring,
    stacked,
    tied,
    with_public,
)
from tests.release.joined_reference import Database, OwnedRow, Row

INTEGER = ColumnType.INTEGER
SCHEMAS = {
    "parents": Schema([("key", INTEGER), ("who", INTEGER), ("digit", INTEGER)]),
    "children": Schema([("fk", INTEGER), ("value", INTEGER)]),
    "public": Schema([("number", INTEGER), ("word", ColumnType.TEXT)]),
}
PUBLIC: list[Row] = [
    {"number": 0, "word": "none"},
    {"number": 0, "word": "nought"},
    {"number": 2, "word": "two"},
]
FEW = (0, 1, None)
GRID = Grid(lower=0, upper=1, bits=3)


def shapes(where: Callable[[str], StoredLocation]) -> dict[str, Rows]:
    """By name; each is local."""
    parents, children, words = (Stored(name, where(name), SCHEMAS[name]) for name in SCHEMAS)
    p = owned(parents, "who")
    c = referring(children, "fk", p, "key")
    some = filtered(p, col("digit") == 0)
    renamed = mapped(p, {"who": col("key") * 2, "id": col("key")})
    other_names = mapped(p, {"k": col("key"), "d": col("digit")})
    told = public_mapped(public(words), {"number": col("number"), "word": col("word")})
    totals: dict[str, Total] = {
        "n": CountOf(),
        "s": SumOf(col("value"), GRID),
        "a": MeanOf(col("value"), GRID),
        "low": LeastOf(col("value"), GRID),
        "high": GreatestOf(col("value"), GRID),
    }
    by_key = mapped(
        per_unit(c, by={"k": col("fk")}, totals=totals),
        {name: col(name) for name in ("k", *totals)},
    )
    of_unit = per_unit(p, totals={"rows": CountOf(), "keys": CountOf(col("key"))})
    return {
        "owned": p,
        "filtered": some,
        "mapped": renamed,
        "referring": c,
        "referring, keeping": referring(children, "fk", some, "key", keep=["who", "key"]),
        "referring to renamed": referring(children, "fk", renamed, "id", keep=["who"]),
        **{
            f"public {how}": with_public(c, told, on=[("value", "number")], how=how)
            for how in ("inner", "left", "semi", "anti")
        },
        "public filtered": with_public(
            p, public_filtered(public(words), col("word") != "none"), on=[("digit", "number")]
        ),
        **{
            f"child {how} parent": tied(
                filtered(c, col("value") == 0), some, on=[("fk", "key")], how=how
            )
            for how in ("inner", "left", "semi", "anti")
        },
        **{
            f"parent {how} child": tied(
                p, filtered(c, col("value") == 0), on=[("key", "fk")], how=how
            )
            for how in ("inner", "left", "semi", "anti")
        },
        **{
            f"parent {how} own": tied(some, c, how=how) for how in ("semi", "anti")
        },
        "keeping, with its parent": tied(
            referring(children, "fk", other_names, "k", keep=["d"]),
            some,
            on=[("fk", "key")],
        ),
        "siblings": tied(c, by_key, on=[("fk", "k")]),
        "siblings left": tied(some, by_key, on=[("key", "k")], how="left"),
        "child with its unit's": tied(c, of_unit),
        "stacked": stacked(mapped(p, {"x": col("key")}), mapped(c, {"x": col("fk")})),
        "totals": by_key,
        "different": per_unit(c, by={"fk": col("fk"), "value": col("value")}),
        "chain": referring(
            children,
            "fk",
            tied(p, per_unit(p, by={"k": col("key")}), on=[("key", "k")]),
            "key",
        ),
    }  # fmt: skip


def shapes_by_name(where: Callable[[str], StoredLocation]) -> dict[str, Rows]:
    """Children whose foreign key is the unit's own name, with and without a look at parents."""
    parents, children = (Stored(name, where(name), SCHEMAS[name]) for name in list(SCHEMAS)[:2])
    p = owned(parents, "who")
    c = referring(children, "fk", p, "who")
    return {
        "named": c,
        "named, keeping": referring(children, "fk", p, "who", keep=["digit"]),
        **{
            f"parent {how} named": tied(p, c, on=[("who", "fk")], how=how)
            for how in ("inner", "left", "semi", "anti")
        },
        "named left parent": tied(c, p, on=[("fk", "who")], how="left"),
        "named with totals": tied(c, per_unit(p, totals={"n": CountOf()}), how="left"),
    }


def databases() -> Iterator[Database]:
    """All with few parents and few children: 6160 of them. A parent's digit is its key."""
    parents = [{"key": key, "who": who, "digit": key} for key, who in product(FEW, FEW)]
    children = [{"fk": fk, "value": value} for fk, value in product(FEW, (0, 1))]
    for ours, theirs in product(_bags(parents, 3), _bags(children, 2)):
        yield {"parents": ours, "children": theirs, "public": PUBLIC}


def _bags(rows: list[Row], most: int) -> list[list[Row]]:
    return [
        list(bag) for size in range(most + 1) for bag in combinations_with_replacement(rows, size)
    ]


def without(database: Database, unit: int) -> Iterator[Database]:
    """Neighbours: the unit's parents go; children stay, or those of the unit alone go too.

    Children that refer to nobody are nobody's, and may stay or go.
    """
    kept = [row for row in database["parents"] if row["who"] != unit]
    owners = {
        key: {row["who"] for row in database["parents"] if row["key"] == key} - {None}
        for key in (0, 1)
    }
    children = database["children"]
    for gone in ((), (unit,)), ((unit,),), ((),):
        left = [
            row for row in children
            if tuple(owners.get(row["fk"], ())) not in gone
        ]  # fmt: skip
        yield {**database, "parents": kept, "children": left}
    yield {**database, "parents": kept}


def without_named(database: Database, unit: int) -> Iterator[Database]:
    """Neighbours where children name their unit: all that name it go, or some stay behind."""
    kept = [row for row in database["parents"] if row["who"] != unit]
    left = [row for row in database["children"] if row["fk"] != unit]
    yield {**database, "parents": kept, "children": left}
    yield {**database, "parents": kept}
    yield {**database, "children": left}


def named(database: Database) -> Any:
    """What tells a database from the others."""
    return tuple((row["key"], row["who"]) for row in database["parents"]), tuple(
        (row["fk"], row["value"]) for row in database["children"]
    )


# What must not be done, and cannot be said with the constructors.


def _with_owners(database: Database) -> list[OwnedRow]:
    return [
        (parent["who"], child)
        for parent, child in product(database["parents"], database["children"])
        if child["fk"] is not None and child["fk"] == parent["key"]
    ]


def keys_alone(database: Database) -> list[OwnedRow]:
    """Siblings by fk = fk, though both sides carry owners."""
    found = _with_owners(database)
    return [
        (who, one | {"other": other["value"]})
        for (who, one), (_, other) in product(found, found)
        if one["fk"] == other["fk"]
    ]


def columns_alone(database: Database) -> list[OwnedRow]:
    """Two private tables on a column that says nothing about owners."""
    return [
        (one["who"], one | {"other": other["who"]})
        for one, other in product(database["parents"], database["parents"])
        if one["key"] is not None and one["key"] == other["key"]
    ]


def existing_keys(database: Database) -> list[OwnedRow]:
    """A semi-join with the rows of everybody."""
    keys = [parent["key"] for parent in database["parents"] if parent["who"] is not None]
    return [(who, row) for who, row in _with_owners(database) if keys.count(row["fk"]) > 1]


def not_in(database: Database) -> list[OwnedRow]:
    """NOT IN over private rows: one NULL makes it true of nobody."""
    keys = [row["fk"] for _, row in _all_children(database)]
    if None in keys:
        return []
    return [(row["who"], row) for row in database["parents"] if row["key"] not in keys]


def _all_children(database: Database) -> list[OwnedRow]:
    return [(None, row) for row in database["children"]]


def repeated_keys_dropped(database: Database) -> list[OwnedRow]:
    """Parents whose key is not unique are left out."""
    keys = [row["key"] for row in database["parents"]]
    return [(who, row) for who, row in _with_owners(database) if keys.count(row["fk"]) == 1]


def least_owner(database: Database) -> list[OwnedRow]:
    """A child belongs to the least of its owners."""
    found: dict[int, set[int]] = {}
    for who, row in _with_owners(database):
        if who is not None:
            found.setdefault(row["fk"], set()).add(who)
    return [(min(found[row["fk"]]), row) for row in database["children"] if row["fk"] in found]


def first_parent(database: Database) -> list[OwnedRow]:
    """DISTINCT ON the key, in stored order."""
    seen: dict[int, Any] = {}
    for row in database["parents"]:
        seen.setdefault(row["key"], row["who"])
    return [(seen[row["fk"]], row) for row in database["children"]
            if row["fk"] is not None and row["fk"] in seen]  # fmt: skip


def ranked(database: Database) -> list[OwnedRow]:
    """A row's number among all rows."""
    ordered = sorted(database["parents"], key=repr)
    return [(row["who"], row | {"rank": rank}) for rank, row in enumerate(ordered)]


def by_a_computed_key(database: Database) -> list[OwnedRow]:
    """Children refer to parents by something that is not the stored key."""
    return [
        (parent["who"], child)
        for parent, child in product(database["parents"], database["children"])
        if child["fk"] is not None and parent["key"] is not None
    ]


WRONG = (
    keys_alone,
    columns_alone,
    existing_keys,
    not_in,
    repeated_keys_dropped,
    least_owner,
    first_parent,
    ranked,
    by_a_computed_key,
)
