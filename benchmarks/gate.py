"""What the gate costs: a thousand questions proved anew, beside the preview that they are part of.

python -m benchmarks.gate
"""

import gc
from collections.abc import Iterator
from time import process_time

from benchmarks.row import Row, markdown
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.plan import Plan, plan

_QUESTIONS = 1000
_BUDGETS: tuple[Guarantee, ...] = (
    PureDP(epsilon=1),
    ApproxDP(epsilon=1, delta="1e-6"),
    ZCDP(rho=1),
)


def gate_rows() -> Iterator[Row]:
    """Processor time, each budget once and from cold: nothing is answered from memory."""
    gc.collect()
    gc.freeze()  # what other benchmarks have loaded is not looked through for garbage meanwhile
    for number, budget in enumerate(_BUDGETS):
        asked = _asked(number)
        start = process_time()
        priced = asked._priced(budget)
        searched = process_time()
        priced.admitted(budget)
        admitted = process_time()
        priced.forecasts()
        end = process_time()
        took, whole = admitted - searched, end - start
        case, beside = f"gate, {_QUESTIONS} questions, {budget!r}", f"whole preview: {whole:.3g} s"
        yield Row(case, f"{took:.3g} s", beside, took, "s", "at most", 0.3)
        share = 100 * took / whole
        yield Row(case, f"{took:.3g} s", beside, share, "% of it", "at most", 5.0)
    gc.unfreeze()


def _asked(number: int) -> Plan:
    """Counts, sums, means and groups; other ranges each time, so that no law is met twice."""
    columns = [("who", ColumnType.INTEGER), ("x", ColumnType.NUMBER), ("c", ColumnType.TEXT)]
    table = Table(schema=Schema(columns), unit="who", neighbours="add_remove", location=Frame(None))
    asked = plan(table, max_groups=2, max_rows=3)
    for place in range(_QUESTIONS):
        name, upper = f"question {place}", 1 + place + 10_000 * number
        match place % 4:
            case 0:
                asked = asked.count(name=name, importance=1 + place % 7)
            case 1:
                asked = asked.sum("x", lower=0, upper=upper, name=name)
            case 2:
                asked = asked.mean("x", lower=0, upper=upper, by="c", keys=["a", "b"], name=name)
            case _:
                asked = asked.count(by="c", keys=["a", "b", "d"], name=name)
    return asked


if __name__ == "__main__":
    print(markdown(list(gate_rows())))
