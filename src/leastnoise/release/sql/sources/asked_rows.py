"""`rows_asked`: the rows that a statement is about, and what is left to ask of them."""

from dataclasses import replace
from typing import Any

from leastnoise.release.ask.expression import Column
from leastnoise.release.measure.sources import PublicRows
from leastnoise.release.sql.prepared import Prepared
from leastnoise.release.sql.rows.scope import Known, Scope
from leastnoise.release.sql.shape import parts_of
from leastnoise.release.sql.sources.reader import Reader, table_named
from leastnoise.release.sql.text.place import refused, standing_at
from leastnoise.release.sql.text.tree import Exists, InQuery, Named, Select


def rows_asked(
    select: Select, dataset: Any, *, with_owners: bool = False
) -> tuple[Prepared, Select]:
    """The rows of a statement, and the statement that is left to be asked of them.

    One table alone is asked as it is; everything else becomes rows with an owner.

    Args:
        select: the statement.
        dataset: the tables.
        with_owners: whether one table, too, is to become such rows.

    Raises:
        InvalidParameter: a table is unknown, or rows of several units would come together.
    """
    if _is_plain(select) and not with_owners:
        assert isinstance(select.source, Named)
        return _one_table(select.source, dataset), select
    side, where = Reader(dataset).inside(select).from_and_where(select)
    if isinstance(side.rows, PublicRows):
        raise _only_public(select)
    table = side.rows.table(
        dataset=dataset.name, neighbours=dataset.neighbours, facts=tuple(side.facts.items())
    )
    prepared = Prepared(
        table=table,
        scope=Scope(side.known, table.schema),
        notes=tuple(dict.fromkeys(side.notes)),
        rows=side.rows,
        kept=side.kept,
        origins=side.origins,
    )
    return prepared, replace(select, where=where, joins=(), queries=())


def _is_plain(select: Select) -> bool:
    return (
        isinstance(select.source, Named)
        and not select.joins
        and select.source.name.casefold() not in {each.name.casefold() for each in select.queries}
        and not _looks_for(select.where)
    )


def _looks_for(node: Any) -> bool:
    rest = [] if node is None else [node]
    while rest:
        each = rest.pop()
        if isinstance(each, Exists | InQuery):
            return True
        rest += list(parts_of(each))
    return False


def _one_table(source: Named, dataset: Any) -> Prepared:
    name = table_named(source, dataset)
    with standing_at(source.at):
        table = dataset.table(name)
    unit = dataset.owner_column(name)
    names = [each for each in table.schema.names if each != table.unit or each == unit]
    known = tuple(Known(source.alias, each, Column(each), each == unit) for each in names)
    return Prepared(table, Scope(known, table.schema))


def _only_public(select: Select) -> Exception:
    return refused(
        select.at,
        "questions are asked of tables that have units",
        "public ones alone",
        "Read them as they are: they need no noise.",
    )
