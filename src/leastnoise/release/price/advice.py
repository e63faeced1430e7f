"""What would make errors smaller, told from public facts alone."""

from collections.abc import Iterator
from dataclasses import replace

from leastnoise.errors import LeastNoiseError
from leastnoise.people.digits import said_number
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.price.cut_forecasts import cuts_told
from leastnoise.release.price.plan_bound import plan_certificate, with_bound
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.result.preview import Preview
from leastnoise.release.step.bounded_table import BoundedTable

_MOST_ADVISED = 200  # questions: nobody reads more lines, and each variant is priced anew
_WORTH_SAYING = 0.9  # a tenth less error: smaller gains are not worth a reading
_LESS = "{} would make the noise {{}} and leave out more: `leastnoise bounds` shows how much"
_NOTHING = "{} would make the noise {{}} and leave out nothing: nobody has more rows, as declared"
_USUAL_DELTA = "1e-6"  # what most plans with a delta have


def advised(priced: PricedPlan, budget: Guarantee) -> Preview:
    """The forecasts, each with what to change for an error that is smaller by a tenth."""
    told = with_bound(priced.forecasts(), priced, plan_certificate(priced, budget))
    pairs = zip(told, _hints(priced, budget), strict=True)
    advised_ones = (replace(each, advice=(*each.advice, *own)) for each, own in pairs)
    return Preview(advised_ones, priced.keys_found(), cuts_told(priced))


def _hints(priced: PricedPlan, budget: Guarantee) -> list[list[str]]:
    hints: list[list[str]] = [[] for _ in priced.questions]
    if len(hints) > _MOST_ADVISED:
        return hints
    for words, table, price in _variants(priced.table, budget):
        try:
            other = PricedPlan.of(table, priced.questions, price)
        except LeastNoiseError:
            continue
        pairs = zip(priced.demands, other.demands, strict=True)
        moved = [table == priced.table or own != its for own, its in pairs]
        for place in (place for place, touched in enumerate(moved) if touched):
            ratio = other.error(place) / priced.error(place)
            if ratio < _WORTH_SAYING:
                hints[place].append(words.format(f"{said_number(ratio, 2)} times as large"))
    return hints


def _variants(
    table: BoundedTable, budget: Guarantee
) -> Iterator[tuple[str, BoundedTable, Guarantee]]:
    assert isinstance(table.bounds, Bounds), "a plan's own bounds are no clip"
    groups, rows = table.bounds.max_groups, table.bounds.max_rows
    if table.table.unit is not None and rows > 1:
        words, less = _lower("max_rows", rows, table)
        yield words, replace(table, bounds=Bounds(max_groups=groups, max_rows=less)), budget
    if table.table.unit is not None and groups > 1:
        words, less = _lower("max_groups", groups, table)
        yield words, replace(table, bounds=Bounds(max_groups=less, max_rows=rows)), budget
    if isinstance(budget, PureDP) and budget.epsilon:
        yield (
            f"a delta of {_USUAL_DELTA} would make the error {{}}",
            table,
            ApproxDP(epsilon=budget.epsilon, delta=_USUAL_DELTA),
        )


def _lower(name: str, bound: int, table: BoundedTable) -> tuple[str, int]:
    """What all rows of anybody fit in, if a bound is above that; or half of the bound."""
    most = table.cut.most_rows if table.cut else None
    if most is not None and most < bound:
        return _NOTHING.format(f"{name}={most}"), most
    return _LESS.format(f"{name}={bound // 2}"), bound // 2
