"""A release of many questions about a small table: what is left when reading the rows is nothing.

Counts, sums and means of other rows each: no two questions have a condition in common. Figures are
processor time, each case once and from cold.

python -m benchmarks.many_questions
"""

import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import process_time

import duckdb
import pandas as pd

from benchmarks.row import Row, markdown
from leastnoise.ledger.ledger import Ledger
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.table import Table
from leastnoise.release.plan import Plan, plan
from leastnoise.release.read import read

ROWS, UNITS = 5000, 2000
QUESTIONS = 400
BUILT = 1000


def many_questions_rows() -> Iterator[Row]:
    """Building a plan, then releases from memory and from a file, by row and by unit."""
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "visits.parquet")
        _write(data)
        table = read(data, unit="who")
        start = process_time()
        asked(table, BUILT, 200)
        took = process_time() - start
        yield Row(
            f"plan of {BUILT} questions built", f"{took:.3g} s", "–", took, "s", "at most", 0.3
        )
        for number, (place, unit) in enumerate(
            (place, unit) for place in ("memory", "Parquet") for unit in (None, "who")
        ):
            source = data if place == "Parquet" else pd.read_parquet(data)
            for budget in _budgets(number):
                yield _released(read(source, unit=unit), budget, place, Path(folder))


def _budgets(number: int) -> tuple[Guarantee, ...]:
    """Others each time, so that no law is met twice."""
    near = 1 + Fraction(number, 100)
    return PureDP(epsilon=near), ApproxDP(epsilon=near, delta="1e-6"), ZCDP(rho=near)


def _released(table: Table, budget: Guarantee, place: str, folder: Path) -> Row:
    questions = asked(table, QUESTIONS, 200)
    ledger = Ledger(folder / f"{hash((place, table.unit, budget))}.db", total=budget, begin=True)
    start = process_time()
    questions.release(budget, ledger=ledger)
    took = process_time() - start
    case = f"{QUESTIONS} questions, {ROWS} rows in {place}, unit={table.unit}, {budget!r}"
    return Row(case, f"{took:.3g} s", "–", took, "s", "at most", 2)


def asked(table: Table, count: int, upper: int) -> Plan:
    """Half of them counts, a quarter sums, a quarter means."""
    found = plan(table) if table.unit is None else plan(table, max_groups=2, max_rows=3)
    for place in range(count):
        name = f"question {place}"
        where = (col("age") >= place % 97) & (col("income") <= place + 1)
        if place % 4 == 0:
            found = found.sum("income", lower=0, upper=upper, where=where, name=name)
        elif place % 4 == 1:
            found = found.mean("age", lower=0, upper=100, where=where, name=name)
        else:
            found = found.count(where=where, name=name)
    return found


def _write(path: str) -> None:
    duckdb.sql(
        f"COPY (SELECT hash(i) % {UNITS} AS who, (hash(i, 1) % 100)::BIGINT AS age, "
        f"(hash(i, 2) % 4000)::DOUBLE / 7 AS income FROM range({ROWS}) AS r(i)) "
        f"TO '{path}' (FORMAT parquet)"
    )


if __name__ == "__main__":
    print(markdown(list(many_questions_rows())))
