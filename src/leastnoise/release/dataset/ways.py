"""How the rows of each table come to their unit: along declared keys, by exactly one way."""

from collections.abc import Mapping

from leastnoise import _check
from leastnoise.release.dataset.described_table import DescribedTable, Reference

MOST_KEYS = 8
"""On one way: each is a join."""

Way = tuple[tuple[Reference, Reference], ...]
"""Keys from a table to that of the unit: each column with the key it refers to."""


def way_to_unit(name: str, tables: Mapping[str, DescribedTable], unit: Reference) -> Way:
    """The keys from a private table to the unit's table; none if it is that table.

    A table is bound to its unit by the one key to a private table that it declares, or by its
    `owner` if it declares several; keys to itself and to public tables do not count.

    Raises:
        InvalidParameter: there is no way, there are several and none is chosen, it comes back to a
            table, or it is too long.
    """
    way: list[tuple[Reference, Reference]] = []
    while name != unit.table:
        column, key = _towards_unit(tables[name], tables, unit)
        way.append((Reference(name, column), key))
        if key.table in [here.table for here, _ in way]:
            raise _check.refuse(
                "the way to the unit must not come back to a table",
                " → ".join(str(here) for here, _ in way) + f" → {key}",
                "Say by `owner` which key leads to the unit.",
            )
        if len(way) > MOST_KEYS:
            raise _check.refuse(
                f"a way to the unit must have at most {MOST_KEYS} keys",
                f"more, from {way[0][0].table!r}",
                "Add the unit's column to a table on the way.",
            )
        name = key.table
    return tuple(way)


def _towards_unit(
    table: DescribedTable, tables: Mapping[str, DescribedTable], unit: Reference
) -> tuple[str, Reference]:
    found = {
        column: key
        for column, key in table.refers
        if key.table != table.name and not tables[key.table].public
    }
    if table.owner:
        if table.owner in found:
            return table.owner, found[table.owner]
        raise _check.refuse(
            f"`owner` of {table.name!r} must be a column that refers to a private table",
            f"{table.owner!r}",
            f"There are: {_listed(found)}.",
        )
    if len(found) == 1:
        return next(iter(found.items()))
    if not found:
        raise _check.refuse(
            "every table must be public, or have a way to the unit",
            f"{table.name!r} with neither",
            f"Say by `refers` which of its columns leads to {unit}, or public = true if it is the "
            "same whoever is in the data.",
        )
    raise _check.refuse(
        "a table must have one way to the unit",
        f"{table.name!r} with {_listed(found)}",
        f'Say whose rows they are: owner = "{next(iter(found))}". Those of the others are then '
        "not protected by this table's rows.",
    )


def _listed(found: Mapping[str, Reference]) -> str:
    return ", ".join(f"{column} → {key}" for column, key in list(found.items())[:8]) or "none"
