"""What would make errors smaller, told from public facts alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from leastnoise.errors import LeastNoiseError
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.price.plan_bound import plan_certificate, with_bound
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.questions.question import Question
from leastnoise.release.result.forecast import Forecast, Preview
from leastnoise.release.step.bounded_table import BoundedTable

_WORTH_SAYING = 0.9  # a tenth less error: smaller gains are not worth a reading
_USUAL_DELTA = "1e-6"  # what most plans with a delta have


def advised(priced: PricedPlan, budget: Guarantee) -> Preview:
    """The forecasts, each with what to change for an error that is smaller by a tenth."""
    told = with_bound(priced.forecasts(), priced, plan_certificate(priced, budget))
    pairs = zip(told, _hints(priced.table, priced.questions, budget, told), strict=True)
    return Preview(replace(each, advice=tuple(own)) for each, own in pairs)


def _hints(
    table: BoundedTable, questions: Sequence[Question], budget: Guarantee, told: Sequence[Forecast]
) -> list[list[str]]:
    now = [each.expected_error for each in told]
    hints: list[list[str]] = [[] for _ in questions]
    for words, other, price in _variants(table, budget):
        try:
            then = [
                each.expected_error for each in PricedPlan.of(other, questions, price).forecasts()
            ]
        except LeastNoiseError:
            continue
        for hint, question, before, after in zip(hints, questions, now, then, strict=True):
            moved = other == table or question.demands(table) != question.demands(other)
            if moved and after < _WORTH_SAYING * before:
                hint.append(f"{words} would make the error {after / before:.2g} times as large")
    return hints


def _variants(
    table: BoundedTable, budget: Guarantee
) -> Iterator[tuple[str, BoundedTable, Guarantee]]:
    assert isinstance(table.bounds, Bounds), "a plan's own bounds are no clip"
    groups, rows = table.bounds.max_groups, table.bounds.max_rows
    if table.table.unit is not None and rows > 1:
        fewer = replace(table, bounds=Bounds(max_groups=groups, max_rows=rows // 2))
        yield f"max_rows={rows // 2}, if few units have more rows,", fewer, budget
    if table.table.unit is not None and groups > 1:
        fewer = replace(table, bounds=Bounds(max_groups=groups // 2, max_rows=rows))
        yield f"max_groups={groups // 2}, if few units are in more groups,", fewer, budget
    if isinstance(budget, PureDP) and budget.epsilon:
        yield (
            f"a delta of {_USUAL_DELTA}",
            table,
            ApproxDP(epsilon=budget.epsilon, delta=_USUAL_DELTA),
        )
