"""What the page shows of a dataset: the tables to ask about, and what is declared of one."""

from fractions import Fraction
from pathlib import Path
from typing import Any

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.dataset.dataset_file import dataset


def described_columns(path: Path, table: object) -> dict[str, Any]:
    """The columns of a table with their ranges and public values; no row is looked at.

    Args:
        path: the dataset's file.
        table: the name of the table; anything else stands for the first one.

    Raises:
        InvalidParameter: no dataset, or no such table.
    """
    data = dataset(path)
    name = table if isinstance(table, str) and table else data.private[0]
    found = data.table(name)
    columns = [
        {"name": column, "type": kind.value, **_facts(found.fact(column))}
        for column, kind in data.schema(name).columns
    ]
    return {"columns": columns, "tables": list(data.private), "table": name}


def _facts(facts: ColumnFacts) -> dict[str, Any]:
    """As texts that a form can hold; exact numbers stay exact."""
    found: dict[str, Any] = {}
    if isinstance(facts.lower, Fraction) and isinstance(facts.upper, Fraction):
        found |= {"lower": str(facts.lower), "upper": str(facts.upper)}
    if facts.values is not None:
        found["values"] = [_word(each) for each in facts.values]
    if facts.measure:
        found["measure"] = facts.measure
    return found


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
