"""An answer as frames and files."""

import csv
import json
import os
from importlib.metadata import version
from math import isfinite
from typing import TYPE_CHECKING, Any

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import written
from leastnoise.release.estimate import Linear
from leastnoise.release.marginal_tables import in_whole_numbers
from leastnoise.release.measurement import Drawn, Limit

if TYPE_CHECKING:
    from leastnoise.release.result import Result


def columns_of(result: "Result") -> dict[str, list[Any]]:
    """The keys, and value, low, high and standard error of each column, as lists."""
    found: dict[str, list[Any]] = {
        key.name: [values[place] for values in result.keys]
        for place, key in enumerate(result.select.keys)
    }
    for name, answers in result.answers.items():
        for ending in ("value", "low", "high", "standard_error"):
            column = name if ending == "value" else f"{name}_{_SHORT.get(ending, ending)}"
            if column in found:
                raise InvalidInput(f'Two columns would be called "{column}". Rename an answer.')
            found[column] = getattr(answers, ending).tolist()
    return found


_SHORT = {"standard_error": "se"}


def to_arrow(result: "Result") -> Any:
    """An Arrow table."""
    import pyarrow as pa

    return pa.table(columns_of(result))


def to_pandas(result: "Result") -> Any:
    """A pandas frame."""
    import pandas as pd

    return pd.DataFrame(columns_of(result))


def to_polars(result: "Result") -> Any:
    """A Polars frame."""
    import polars as pl

    return pl.DataFrame(columns_of(result))


def to_csv(result: "Result", path: str | os.PathLike[str], *, integers: bool = False) -> None:
    """Writes a CSV file; refuses to overwrite one.

    Cells that a spreadsheet would take for a formula are quoted with an apostrophe.
    """
    columns = columns_of(result)
    if integers:
        for name in result.answers:
            kind = result.select.aggregates[name]
            if isinstance(kind.estimate, Linear) and kind.style == "count":
                columns[name] = _whole(result, name)
    try:
        with open(path, "x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(map(_safe, columns))
            writer.writerows(map(_safe, row) for row in zip(*columns.values(), strict=True))
    except FileExistsError:
        raise InvalidInput(f"{path} exists. Remove it, or write to another file.") from None
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from None


def _whole(result: "Result", name: str) -> list[int]:
    """Counts in whole numbers; those of tables that fit together still do."""
    values, together = result.answers[name].value, result.select.together
    if together is None:
        return [round(value) for value in values.tolist()]
    found: list[int] = in_whole_numbers(
        together, [key.name for key in result.select.keys], values
    ).tolist()
    return found


def to_parquet(result: "Result", path: str | os.PathLike[str]) -> None:
    """Writes a Parquet file; refuses to overwrite one."""
    import pyarrow.parquet as pq

    if os.path.exists(path):
        raise InvalidInput(f"{path} exists. Remove it, or write to another file.")
    pq.write_table(to_arrow(result), path)


def _safe(value: Any) -> Any:
    value = int(value) if isinstance(value, float) and value.is_integer() else value
    return "'" + value if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def to_json(result: "Result") -> str:
    """Everything that is known of an answer. Whether data have changed is not among it."""
    return json.dumps(data_of(result), ensure_ascii=False, indent=2, default=str)


def data_of(result: "Result") -> dict[str, Any]:
    """The same as JSON values."""
    select, terms, price = result.select, result.terms, result.terms.price
    return {
        "title": select.title,
        "sql": select.sql,
        "privacy_unit": select.unit,
        "neighbours": "one unit added or removed",
        "guarantee": repr(result.guarantee),
        "price": {
            "asked": terms.asked,
            "epsilon": None if price.epsilon is None else written(price.epsilon),
            "squared_mu": float(price.squared_mu),
            "rho": float(price.rho),
            "part_of_ledger": round(terms.cost, 6),
        },
        "ledger": {"name": terms.ledger, "release": terms.number, "hash": terms.head},
        "noise": {"law": result.family, "reason": terms.reason},
        "limit": _limit(select.limit),
        "level": result.level,
        "columns": {name: select.aggregates[name].what for name in result.answers},
        "rows": [{name: _plain(each) for name, each in row.items()} for row in result.rows],
        "mechanisms": result.mechanisms,
        "notes": [{"code": note.code, "text": note.text} for note in result.notes],
        "version": version("leastnoise"),
    }


def _plain(value: Any) -> Any:
    """As JSON has it: what is unknown is null."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, int | str) else str(value)


def _limit(limit: Limit | Drawn | None) -> dict[str, Any] | None:
    match limit:
        case Limit(rows, per_group):
            return {"max_contributions": rows, "max_per_group": per_group}
        case Drawn(level) if level is not None:
            return {"max_contributions": "auto", "chosen": 2 ** (level / 2)}
        case _:
            return None
