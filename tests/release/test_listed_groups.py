"""A unit's groups held as one list: the same totals and spreads, on an engine of this process."""

from dataclasses import replace

import pytest

from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.expression import col
from leastnoise.release.ask.grid import Grid
from leastnoise.release.ask.keys import Keys
from leastnoise.release.measure.measure import answered, made_once, pass_query, spread_of
from leastnoise.release.measure.one_pass import sought
from leastnoise.release.measure.spread_pass import fused_spreads
from leastnoise.release.step.aggregate import CountPresent, CountRows, SumOf, SumOfSquares
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.unit_spread import Spread, UnitSpread
from tests.release.reference import Row, expected, expected_spread
from tests.release.sessions import FOLLOWED, by_key, followed_order, pass_of, session_of, table_of

SALT = 77
LISTED = replace(
    FOLLOWED,
    gathered="SELECT * FROM ({}) AS apart ORDER BY u",
    listed="SELECT u, list_sort(list(pair)) AS own FROM (SELECT u, (SELECT shown FROM "
    "(SELECT {}) AS shown) AS pair FROM ({}) AS pairs) AS shown GROUP BY u",
    unlisted="SELECT u, {}, 1 + place AS turn FROM (SELECT u, unnest(own) AS pair, "
    "generate_subscripts(own, 1) - 1 AS place FROM ({}) AS lists) AS apart",
)
COST, GRID = col("cost"), Grid(lower=-4, upper=4, bits=2)
AGGREGATES = (CountRows(), SumOf(COST, GRID), CountPresent(COST, GRID), SumOfSquares(COST, GRID))
YEARS = [2023, 2024, 2025, 2026, None]
COSTS = [None, float("nan"), float("inf"), -0.0, 1.25, -3.5]
ROWS: list[Row] = [
    {
        "who": who,
        "city": None,
        "year": YEARS[i % 5],
        "smoker": None,
        "visits": 1,
        "cost": COSTS[(i + j) % 6],
    }
    for j, who in enumerate(["ann", "bob", "", "eve", None])
    for i in range(3 * j, 12)
]


@pytest.mark.parametrize("gathered", [False, True])
@pytest.mark.parametrize("max_groups", [1, 2, 3])
def test_lists_have_the_totals_and_spreads_of_the_reference(
    max_groups: int, gathered: bool
) -> None:
    keys = Keys.of("year", [2026, 2023, 1900, 2025, 2024])
    bounds = Bounds(max_groups=max_groups, max_rows=2)
    asked = Measurement(AGGREGATES, bounds, (col("year"),), keys)
    lost = UnitSpread(Spread.LOST, [0, 1, 2, 5, 30], asked)
    session, table, one = session_of(LISTED), table_of(ROWS, "who"), pass_of(asked)
    session.show(ROWS)
    query = replace(pass_query(table, one, SALT, session), gathered=gathered)
    with made_once(query, fused_spreads([lost]), table, session) as (ready, (spread,)):
        totals = by_key(one.part(sought(asked)[0], answered(ready, table, session)))
        weights = spread_of(spread, ready, session)[lost].totals[0].tolist()
    order = followed_order(SALT, asked)
    assert totals == expected(ROWS, "who", asked, order)
    assert weights == expected_spread(ROWS, "who", lost, order)
