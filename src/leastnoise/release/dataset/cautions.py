"""What readers of answers must know about how tables of a dataset hang together."""

from collections.abc import Iterator, Mapping, Sequence

from leastnoise.release.dataset.described_table import DescribedTable
from leastnoise.release.dataset.ways import Way


def cautions(
    way: Way, tables: Mapping[str, DescribedTable], beside: Sequence[str] = ()
) -> tuple[str, ...]:
    """Sentences for whoever reads answers.

    Args:
        way: keys from the table that is asked about to the unit.
        tables: all tables.
        beside: public tables that are joined.
    """
    return (*_unprotected(way, tables), *_repeating(tables, beside))


def _unprotected(way: Way, tables: Mapping[str, DescribedTable]) -> Iterator[str]:
    """Whoever is named by another key than the one that was chosen."""
    for column, _ in way:
        table = tables[column.table]
        others = [
            other
            for other, key in table.refers
            if other != column.column and key.table != table.name and not tables[key.table].public
        ]
        if others:
            yield (
                f"Rows of {table.name} are those of {column.column}; whoever is named by "
                f"{', '.join(others)} alone is not protected."
            )


def _repeating(tables: Mapping[str, DescribedTable], beside: Sequence[str]) -> Iterator[str]:
    """A public table that may have several rows for a key makes several rows of one."""
    for name in beside:
        keys = {
            key.column for each in tables.values() for _, key in each.refers if key.table == name
        }
        unique = set(tables[name].unique)
        if not unique or not unique <= keys or len(unique) > 1:
            yield (
                f"{name} is not declared to have one row for each key: where it has several, a row "
                "counts once for each."
            )
