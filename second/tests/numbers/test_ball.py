"""Precision is raised until a question is decided, and every end is rounded outward."""

import threading
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from leastnoise.numbers import ball as module
from leastnoise.numbers.ball import (
    Computation,
    ball,
    border,
    enclosure,
    exact_value,
    floor,
    greatest,
    interval,
    lower_end,
    normal_tail,
    precision,
    settle,
    sign,
    upper_end,
)
from leastnoise.numbers.errors import Undecided
from tests.forked import in_child

F = Fraction
INF = float("inf")
TINY = F(1, 2**500)
LIMIT = 2**20  # exponents beyond are not written out


def true_zero() -> arb:
    return arb(2).sqrt() ** 2 - 2


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        (lambda: arb(0), 0),
        (lambda: ball(F(1, 3)) - ball(F(1, 3) - TINY), 1),
        (lambda: ball(F(1, 3)) - ball(F(1, 3) + TINY), -1),
        (lambda: arb.pi() * ball(TINY), 1),
    ],
)
def test_sign(compute: Computation, found: int) -> None:
    assert sign(compute) == found


@pytest.mark.parametrize("compute", [true_zero, lambda: arb("nan"), lambda: arb(0) * arb("inf")])
def test_a_sign_that_nothing_decides_is_not_guessed(compute: Computation) -> None:
    with pytest.raises(Undecided):
        sign(compute)


def test_precision_doubles_up_to_its_end_and_is_put_back() -> None:
    tried: list[int] = []
    before = ctx.prec

    def undecided(_: arb) -> None:
        tried.append(ctx.prec)

    with pytest.raises(Undecided):
        settle(lambda: arb(0), undecided)
    assert tried == [2**i for i in range(7, 17)]
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError), precision(99):
        raise ZeroDivisionError
    assert ctx.prec == before


@pytest.mark.parametrize(
    ("compute", "found"),
    [
        (lambda: arb(7), 7),
        (lambda: arb(-7) / 2, -4),
        (lambda: 3 - arb.pi() * ball(TINY), 2),
        (lambda: 3 + arb.pi() * ball(TINY), 3),
        (lambda: arb.pi() * 10**40, 31415926535897932384626433832795028841971),
    ],
)
def test_floor(compute: Computation, found: int) -> None:
    assert floor(compute) == found


NUMBERS: list[tuple[Computation, Callable[[], mpmath.mpf]]] = [
    (arb.pi, lambda: +mpmath.pi),
    (lambda: -arb.pi(), lambda: -mpmath.pi),
    (lambda: arb.pi() * arb(2) ** 300, lambda: mpmath.pi * mpmath.mpf(2) ** 300),
    (lambda: arb(-2).exp() / arb(2) ** 300, lambda: mpmath.exp(-2) / mpmath.mpf(2) ** 300),
    (lambda: ball(F(-1, 3)), lambda: mpmath.mpf(-1) / 3),
]


@pytest.mark.parametrize(("compute", "same"), NUMBERS)
@pytest.mark.parametrize("bits", [4, 64, 100])
def test_ends_lie_on_their_sides_and_close(
    compute: Computation, same: Callable[[], mpmath.mpf], bits: int
) -> None:
    low, high = lower_end(compute, bits), upper_end(compute, bits)
    around = enclosure(compute, bits=bits)
    with mpmath.workdps(200):
        truth = F(*map(int, mpmath.mpf(same()).as_integer_ratio()))
    size = abs(truth)
    assert low < truth < high and high - low <= size * F(4, 2**bits)
    assert around.lower <= truth <= around.upper
    assert around.width <= size * F(2, 2**bits)
    for end in (low, high):
        odd_part = end.numerator // (end.numerator & -end.numerator)
        assert odd_part.bit_length() <= bits + 1


def test_ends_of_what_is_exact_and_of_what_may_be_zero() -> None:
    assert lower_end(lambda: arb(5)) == upper_end(lambda: arb(5)) == 5
    assert lower_end(lambda: arb(0)) == upper_end(lambda: arb(0)) == 0
    assert -F(1, 2**4000) < lower_end(true_zero) <= 0 <= upper_end(true_zero) < F(1, 2**4000)
    with pytest.raises(Undecided):
        upper_end(lambda: arb("inf"))
    assert exact_value(arb(-3) / 8) == F(-3, 8) and exact_value(arb(2) ** 70) == 2**70


@pytest.mark.parametrize("side", [1, -1])
def test_ends_too_large_or_small_to_write_out_are_moved_outward(side: int) -> None:
    huge = interval(side * arb(2) ** (2 * LIMIT))
    tiny = interval(side * arb(2) ** (-2 * LIMIT))
    large, small = F(2) ** LIMIT, F(1, 2**LIMIT)
    assert (huge.lower, huge.upper) == ((large, INF) if side > 0 else (-INF, -large))
    assert (tiny.lower, tiny.upper) == ((F(0), small) if side > 0 else (-small, F(0)))
    unknown = interval(arb("nan"))
    assert (unknown.lower, unknown.upper) == (-INF, INF)


@pytest.mark.parametrize("start", [F(1, 10**9), F(1), F(7, 5), F(10**9)])
@pytest.mark.parametrize("limit", [F(2), F(2, 10**40), F(2 * 10**40), F(4)])
@pytest.mark.parametrize("bits", [5, 64])
def test_greatest_finds_a_square_root_from_below(start: F, limit: F, bits: int) -> None:
    found = greatest(lambda x: x * x <= limit, start, bits)
    assert found**2 <= limit < (found * (1 + F(2, 2**bits))) ** 2


def test_greatest_returns_only_what_it_asked() -> None:
    asked: set[F] = set()

    def holds(x: F) -> bool:  # not monotone: false on a stripe below the end
        asked.add(x)
        return x < 1 or (F(3, 2) < x < F(17, 10) and x.denominator > 8)

    found = greatest(holds, F(1, 3))
    assert holds(found) and found in asked
    for never in (lambda x: x < 0, lambda x: x > 0):
        with pytest.raises(Undecided, match=r"Every|No number"):
            greatest(never, F(1))


@pytest.mark.parametrize("x", [-40, -3, -1, 0, 0.5, 1, 6, 10, 40, 1000])
def test_normal_tail_to_50_digits(x: float) -> None:
    with precision(1000), mpmath.workdps(60):
        ours = mpmath.mpf(normal_tail(arb(x)).str(55, radius=False))
        assert abs(ours / (mpmath.erfc(x / mpmath.sqrt(2)) / 2) - 1) < mpmath.mpf(10) ** -50


def held_elsewhere(work: Callable[[], bool]) -> bool:
    """What `work` finds while another thread works at a precision of its own."""
    inside, done = threading.Event(), threading.Event()

    def hold() -> None:
        with precision(4096):
            inside.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    try:
        return work()
    finally:
        done.set()
        thread.join()


def test_threads_take_turns() -> None:
    assert held_elsewhere(lambda: not module._LOCK.acquire(blocking=False))
    found: list[int] = []
    work = [
        lambda i=i: found.append(floor(lambda: arb(2).sqrt() * arb(10) ** i)) for i in range(99)
    ]
    threads = [threading.Thread(target=each) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with mpmath.workdps(120):
        assert sorted(found) == [int(mpmath.sqrt(2) * mpmath.mpf(10) ** i) for i in range(99)]


def test_a_forked_child_does_not_wait_for_a_thread_that_it_has_not() -> None:
    def answer() -> bytes:
        return b"free" if module._LOCK.acquire(blocking=False) else b"held"

    assert held_elsewhere(lambda: in_child(answer) == b"free")


@pytest.mark.parametrize(("bits", "radius", "expected"), [
    (128, -5000, False), (2**13, -5000, True), (2**14, -5000, True), (2**13, -4000, False), (128, -10, False),
])  # fmt: skip
def test_what_may_be_zero_is_taken_as_it_is_once_it_is_very_near(
    bits: int, radius: int, expected: bool
) -> None:
    with precision(bits):
        assert module._is_tight(arb(0, arb(2) ** radius), 64) is expected


def test_infinite_ends() -> None:
    for text, ends in (("inf", (INF, INF)), ("-inf", (-INF, -INF)), ("nan", (-INF, INF))):
        found = interval(arb(text))
        assert (found.lower, found.upper) == ends


@pytest.mark.parametrize("power", [LIMIT - 1, 1 - LIMIT])
def test_the_last_ends_that_are_written_out(power: int) -> None:
    value = arb(2) ** power
    found = interval(value)
    assert found.lower == found.upper == F(2) ** power
    if power > 0:
        beyond = interval(3 * value)
        assert (beyond.lower, beyond.upper) == (F(2) ** LIMIT, INF)
        below = interval(-3 * value)
        assert (below.lower, below.upper) == (-INF, -(F(2) ** LIMIT))


@pytest.mark.parametrize(
    "limit", [2 - TINY, F(2), 1 + TINY, F(1), F(4, 3), F(10**30), F(1, 10**30)]
)
@pytest.mark.parametrize("start", [F(1), F(1, 3), F(7)])
def test_a_border_lies_between_its_ends(limit: F, start: F) -> None:
    low, high = border(lambda x: x <= limit, start, bits=8)
    assert low <= limit < high <= low * (1 + F(1, 2**7))
