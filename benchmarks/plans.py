"""How much noise the questions of a plan get: with one draw for several, and with one each.

python -m benchmarks.plans
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import sqrt
from statistics import mean
from typing import Any

from benchmarks.plan_peers import peers
from benchmarks.plan_tables import demo_rows, key_rows, least_words, table_rows
from benchmarks.row import Row, markdown
from leastnoise import col
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.location import Frame
from leastnoise.release.ask.schema import Schema
from leastnoise.release.ask.table import Table
from leastnoise.release.plan import Plan, plan
from leastnoise.release.price.gaussian_shares import adding_squares, line_prices
from leastnoise.release.price.pure_shares import adding_epsilon
from leastnoise.release.step.demand import Demand
from leastnoise.release.step.grant import Grant

_PURE, _APPROX = PureDP(epsilon=1), ApproxDP(epsilon=1, delta="1e-6")
_ROOM = 1.03  # of the target: start widths are even, and grids are not the line
_ROWS = 1000  # of the table whose means are asked for
_NUMBERS = 31


def plan_rows() -> Iterator[Row]:
    """The variance of one answer, in units of what one row adds at most; every row is a person."""
    yield from _count_rows()
    yield from _mixed_rows()
    yield from _mean_rows()
    yield from table_rows()
    yield from key_rows()
    yield from demo_rows()


def _count_rows() -> Iterator[Row]:
    for number, budget, least in (
        (10, _PURE, 20.3),
        (20, _APPROX, 58.8),
        (50, _APPROX, 282),
        (100, _APPROX, 540),
    ):
        case = f"{number} counts with filters, {_words(budget)}"
        yield _row(case, _counts(number), budget, least, peers(number, budget))


def _mixed_rows() -> Iterator[Row]:
    for cells, least in ((8, 12.1), (20, 15.0)):
        asked = _grouped(_empty(), cells)
        yield _row(f"three group-bys of {cells} cells, ε = 1", asked, _PURE, least, peers(3, _PURE))
    asked = _grouped(_counts(5), 20).sum("x0", lower=0, upper=1).sum("x1", lower=0, upper=1)
    case = "5 counts, 3 group-bys of 20 cells, 2 sums, ε = 1"
    yield _row(case, asked, _PURE, 51.6, peers(10, _PURE))


def _mean_rows() -> Iterator[Row]:
    """Deviations of a mean of values in 0..100 of a thousand rows, around the middle."""
    for number, least in ((10, 0.36), (31, 0.97)):
        asked = _empty()
        for place in range(number):
            asked = asked.mean(f"x{place}", lower=0, upper=100, missing="middle")
        sums = [given[0] for given in asked._priced(_PURE).grants]
        now = _deviation(sums, asked)
        before = _empty()
        for place in range(number):
            before = before.mean(f"x{place}", lower=0, upper=100)
        demands = _demands(before)
        apart = _deviation_of_mean(adding_epsilon(demands, Fraction(1), Fraction(0)), before)
        case = f"means of {number} columns in 0..100, {_ROWS} rows, none missing, ε = 1"
        yield Row(case, f"{now:.3g}", f"apart: {apart:.3g}", now, "", "at most", least * _ROOM)


def _deviation(sums: Sequence[Grant], asked: Plan) -> float:
    """Of the middle plus half of t/n."""
    steps = _steps(asked)
    return mean(sqrt(float(each.law.moment(2))) / steps * 50 / _ROWS for each in sums)


def _deviation_of_mean(sums: Sequence[Grant], asked: Plan) -> float:
    """Of the range times s/(s + t), at s = t."""
    steps = _steps(asked)
    return mean(sqrt(float(each.law.moment(2)) / 2) / steps * 100 / _ROWS for each in sums)


def _steps(asked: Plan) -> int:
    question: Any = asked.questions[0]
    return int(question.grid.most - question.grid.least)


def _row(case: str, asked: Plan, budget: Guarantee, least: float, peer: str) -> Row:
    demands = _demands(asked)
    priced = asked._priced(budget)
    now = _variance(demands, [one for own in priced.grants for one in own])
    apart = min(_variance(demands, made()) for made in _apart(demands, budget))
    beside = f"apart: {apart:.3g}; {peer}; {least_words(priced, budget)}"
    return Row(case, f"{now:.4g}", beside, now, "", "at most", round(least * _ROOM, 3))


def _variance(demands: Sequence[Demand], grants: Sequence[Grant]) -> float:
    """The mean over questions of one number's variance, in squares of what one row adds."""
    pairs = zip(demands, grants, strict=True)
    return mean(float(each.law.moment(2)) * float(own.weight) ** 2 for own, each in pairs)


def _apart(demands: Sequence[Demand], budget: Guarantee) -> Iterator[Callable[[], list[Grant]]]:
    """What each question with noise of its own gets."""
    assert isinstance(budget, PureDP | ApproxDP)
    yield lambda: adding_epsilon(demands, budget.epsilon, Fraction(0))
    if isinstance(budget, ApproxDP):
        for price in line_prices(demands, budget):
            yield lambda price=price: adding_squares(demands, price)  # type: ignore[misc]


def _words(budget: Guarantee) -> str:
    return "ε = 1" if isinstance(budget, PureDP) else "ε = 1, δ = 1e-6"


def _demands(asked: Plan) -> list[Demand]:
    return [each for question in asked.questions for each in question.demands(asked.bounded)]


def _empty() -> Plan:
    columns = [("c", ColumnType.TEXT), *((f"x{i}", ColumnType.NUMBER) for i in range(_NUMBERS))]
    table = Table(schema=Schema(columns), unit=None, neighbours="add_remove", location=Frame(None))
    return plan(table)


def _counts(number: int) -> Plan:
    asked = _empty()
    for place in range(number):
        asked = asked.count(where=col("x0") > place, name=f"over {place}")
    return asked


def _grouped(asked: Plan, cells: int) -> Plan:
    keys = [str(i) for i in range(cells)]
    for place in range(3):
        asked = asked.count(by="c", keys=keys, where=col("x1") > place, name=f"by {place}")
    return asked


if __name__ == "__main__":
    print(markdown(list(plan_rows())))
