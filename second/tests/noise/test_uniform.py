"""Integers below a bound, tables and geometric draws have exactly the law that they state."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

from leastnoise.noise import uniform
from leastnoise.noise.source import Source
from leastnoise.noise.uniform import (
    Table,
    _geometric_table,
    _geometric_tables,
    geometric,
    uniform_below,
)
from tests.noise.thresholds import (
    Floors,
    check_heads,
    check_thresholds,
    floor_of,
    value_of,
)
from tests.scripted import Scripted, law, word

F = Fraction


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 64, 200, 256])
def test_uniform_below_is_uniform(bound: int) -> None:
    found = law(lambda source: uniform_below(bound, source), depth=2)
    open_ = found.pop(None, F(0))
    # Each round of one byte refuses with the same chance, and whoever is refused begins anew.
    assert open_ == F(2 ** (bound - 1).bit_length() - bound, 2 ** (bound - 1).bit_length()) ** 2
    assert found == dict.fromkeys(range(bound), (1 - open_) / bound)


@pytest.mark.parametrize("bound", [2**64 - 1, 10**40])
def test_uniform_below_refuses_the_bound_itself(bound: int) -> None:
    bits = (bound - 1).bit_length()
    size = -(-bits // 8)
    scripts = [
        (each << (-bits % 8)).to_bytes(size, "little") for each in (bound, 2**bits - 1, bound - 1)
    ]
    assert uniform_below(bound, Scripted(*scripts)) == bound - 1


# Tables

RATIONAL: dict[str, tuple[Callable[[int], F], int | None]] = {
    "dyadic, so that thresholds are words": (lambda n: F(1, 2**n), None),
    "thirds": (lambda n: F(1, 3**n), None),
    "uniform on five": (lambda n: F(5 - n, 5), 5),
    "one is certain": (lambda n: F(2 - (n > 1), 2), 3),
    "one is never drawn": (lambda n: F(1, 3), 3),
    "two is impossible": (lambda n: F(2 - n, 2), 3),
}


def table_of(chance: Callable[[int], F], length: int | None) -> tuple[Table, Floors]:
    def floors(n: int, bits: int) -> int:
        return int(chance(n) * 2**bits)

    # No word exceeds 2**64 - 1, so that the last word leaves a certain event open.
    return Table(floors, length), lambda n, bits: min(floors(n, bits), 2**bits - (bits == 64))


@pytest.mark.parametrize("name", RATIONAL)
def test_tables_of_rational_chances(name: str) -> None:
    chance, length = RATIONAL[name]
    table, floors = table_of(chance, length)
    check_heads(table, floors, length)
    check_thresholds(table, floors, range(1, length or 70), length)


def test_a_table_of_one_value() -> None:
    table, _ = table_of(lambda n: F(0), 1)
    assert not table.sample(5, Scripted(bytes(10))).any()


def test_the_law_of_a_table_by_all_heads() -> None:
    table, _ = table_of(lambda n: F(1, 3**n), None)
    found = law(lambda source: int(table.sample(1, source)[0]), depth=2)
    assert found[None] == F(11, 2**16)  # one head for each power of 3 below 2**16, and 0
    for n in range(11):
        missing = F(2, 3 ** (n + 1)) - found.get(n, F(0))
        assert 0 <= missing <= F(2, 2**16)


def test_many_draws_are_filled_in_their_order() -> None:
    table, _ = table_of(lambda n: F(1, 2**n), None)
    places = np.arange(1 << 17)
    heads = (1 << (15 - places % 5)).astype(np.uint16)  # open: the tail decides
    tails = np.arange(1, 1 + (1 << 16), dtype=np.uint64) << np.uint64(16)
    chunks = (heads[at : at + (1 << 16)].tobytes() for at in (0, 1 << 16))
    script = Scripted(*(chunk + tails.tobytes() for chunk in chunks))
    assert (table.sample(1 << 17, script) == places % 5).all()
    assert not script.left


# Real chances


def geometric_floors(rate: F, below: int | None) -> Floors:
    def chance(n: int) -> mpmath.mpf:
        q = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator)
        if below is None:
            return q**n
        # Sums of powers, not the closed form of the code.
        powers = [q**k for k in range(below)]
        return mpmath.fsum(powers[n:]) / mpmath.fsum(powers)

    return cache(lambda n, bits: floor_of(lambda: chance(n), bits))


@pytest.mark.parametrize(
    ("rate", "below", "numbers"),
    [
        (F(5), None, (1, 2, 8)),
        (F(1, 3), None, (1, 2, 60, 133, 140)),
        (F(7, 1000), 256, (1, 128, 255)),
        (F(1, 2**60), 256, (1, 77, 255)),
        (F(30), 256, (1, 2, 3, 200)),
    ],
)
def test_geometric_tables(rate: F, below: int | None, numbers: tuple[int, ...]) -> None:
    floors = geometric_floors(rate, below)
    check_thresholds(_geometric_table(rate, below), floors, numbers, below)
    check_heads(_geometric_table(rate, below), floors, below)


@pytest.mark.parametrize("rate", [F(2), F(1, 5), F(1, 100), F(1, 10**5), F(1, 2**60)])
def test_a_geometric_draw_is_made_of_its_digits(rate: F) -> None:
    count = len(_geometric_tables(rate)[1])
    assert 2 ** (8 * count) * rate * 2**12 >= 2**3 and rate * 2 ** (8 * count) < 2**8
    sizes = [(8 * count, None), *((8 * at, 256) for at in range(count))]
    laws = [(geometric_floors(rate * 2**bits, below), below) for bits, below in sizes]
    rng, checked = np.random.default_rng(2), 0
    for _ in range(12):
        heads = rng.integers(1 << 16, size=1 + count).tolist()
        ends = [
            {value_of(floors, head << 48 | low, 64, length) for low in (1, (1 << 48) - 2)}
            for (floors, length), head in zip(laws, heads, strict=True)
        ]
        if any(len(each) > 1 for each in ends):
            continue  # a head that leaves a choice
        top, *digits = (each.pop() or 0 for each in ends)
        script = Scripted(*(word(head, 16) for head in heads))
        expected = sum(d << 8 * at for at, d in enumerate([*digits, top]))
        assert geometric(rate, 1, script).tolist() == [expected]
        assert not script.left
        checked += 1
    assert checked


def test_a_geometric_draw_may_exceed_64_bits() -> None:
    # Python's integers take over where 62 bits do not suffice.
    lucky = Scripted(word(0, 16), word(1 << 16), bytes(2 * 100))  # U = 2**-64 at the top
    assert int(geometric(F(1, 2**60), 1, lucky)[0]) > 2**62
    for rate in (F(1, 2**61), F(1, 10**40)):
        drawn = [int(each) for each in geometric(rate, 200, Source())]
        # The least of 200 is below 1/4 times the mean but with chance e^-50; the same above.
        assert 0 <= min(drawn) * rate < F(1, 4) and F(1, 2) < max(drawn) * rate < 50


class Fixed:
    """A table that draws what it is told to."""

    def __init__(self, *drawn: int) -> None:
        self._drawn = np.array(drawn)

    def sample(self, count: int, _source: Source) -> Any:
        assert count == len(self._drawn)
        return self._drawn


@pytest.mark.parametrize("digits", [0, 1, 3, 6, 7, 8, 12])
def test_digits_are_added_up_without_overflow(digits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    above, below = (0, 255, 2**9, 2**20), (0, 255, 1, 128)
    tables = Fixed(*above), [Fixed(*below) for _ in range(digits)]
    monkeypatch.setattr(uniform, "_geometric_tables", lambda _rate: tables)
    place = 256**digits
    expected = [a * place + b * (place - 1) // 255 for a, b in zip(above, below, strict=True)]
    assert [int(each) for each in geometric(Fraction(1), 4, Source())] == expected
