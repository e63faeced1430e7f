import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Event

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import LeastNoiseError, Undecided
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from tests.run_python import run_python
from tests.time_limit import time_limit

MORE_DIGITS = 60


def rational(value: mpmath.mpf) -> Fraction:
    return Fraction(*value.as_integer_ratio())


def assert_holds(interval: Interval, value: mpmath.mpf, dps: int = MORE_DIGITS) -> None:
    """The interval meets the true value, known to `dps` digits."""
    middle = rational(value)
    slack = abs(middle) / 10 ** (dps - 5)
    assert interval.lower <= middle + slack
    assert middle - slack <= interval.upper


# Precision


def test_precision_is_set_and_restored() -> None:
    before = ctx.prec
    with balls.precision(300):
        assert ctx.prec == 300
        with balls.precision(900):
            assert ctx.prec == 900
        assert ctx.prec == 300
    assert ctx.prec == before


def _divide_by_zero() -> arb:
    raise ZeroDivisionError


@pytest.mark.parametrize("ask", [balls.sign, balls.floor, balls.enclosure])
def test_precision_is_restored_after_an_exception(ask: object) -> None:
    before = ctx.prec
    with pytest.raises(ZeroDivisionError):
        ask(_divide_by_zero)  # type: ignore[operator]
    assert ctx.prec == before
    # And the lock is free: another thread gets through.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(balls.sign, arb.pi).result() == 1


def test_precision_is_restored_after_undecided() -> None:
    before = ctx.prec
    with pytest.raises(Undecided):
        balls.sign(lambda: arb(2).sqrt() ** 2 - 2)
    assert ctx.prec == before


def test_precision_doubles_until_decided() -> None:
    seen: list[int] = []

    def compute() -> arb:
        seen.append(ctx.prec)
        return arb.pi()

    assert balls.settle(compute, lambda _: True if ctx.prec >= 1000 else None)
    assert seen == [128, 256, 512, 1024]
    assert balls.settle(lambda: arb(1), lambda _: None) is None


@pytest.mark.parametrize("answer", [0, False, ""])
def test_settle_takes_a_false_answer_for_an_answer(answer: object) -> None:
    assert balls.settle(lambda: arb(1), lambda _: answer) is answer


# Balls around rationals


@settings(deadline=None)
@given(st.fractions(), st.integers(2, 300))
def test_a_ball_holds_its_rational(value: Fraction, bits: int) -> None:
    with balls.precision(bits):
        bracket = balls.interval(balls.ball(value))
    assert value in bracket
    assert bracket.width <= abs(value) * Fraction(8, 2**bits)


@settings(deadline=None)
@given(st.integers(), st.integers(-500, 500))
def test_dyadic_numbers_come_back_exactly(mantissa: int, exponent: int) -> None:
    value = Fraction(mantissa) * Fraction(2) ** exponent
    with balls.precision(max(2, mantissa.bit_length())):
        assert balls.interval(balls.ball(value)) == Interval.exactly(value)


# Enclosures

NUMBERS: dict[str, tuple[balls.Computation, Callable[[], mpmath.mpf]]] = {
    "pi": (arb.pi, lambda: +mpmath.pi),
    "minus e": (lambda: -arb(1).exp(), lambda: -mpmath.e),
    "root": (lambda: arb(2).sqrt(), lambda: mpmath.sqrt(2)),
    "tiny": (lambda: arb(-1000).exp(), lambda: mpmath.exp(-1000)),
    "huge": (lambda: arb(1000).exp(), lambda: mpmath.exp(1000)),
    "tail": (lambda: arb(30).erfc(), lambda: mpmath.erfc(30)),
    "cancelled": (
        lambda: (arb(10) ** -100).exp() - 1,
        lambda: mpmath.expm1(mpmath.mpf(10) ** -100),
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("bits", [20, 80, 200, 1000])
def test_enclosures_hold_the_number_and_are_narrow(name: str, bits: int) -> None:
    compute, reference = NUMBERS[name]
    bracket = balls.enclosure(compute, relative_bits=bits)
    with mpmath.workdps(400):
        assert_holds(bracket, reference(), 400)
    assert bracket.width <= 4 * abs(Fraction(bracket.upper)) / 2**bits


def test_the_default_enclosure_is_narrower_than_floats() -> None:
    bracket = balls.enclosure(arb.pi)
    with mpmath.workdps(MORE_DIGITS):
        assert_holds(bracket, +mpmath.pi)
    assert bracket.width <= Fraction(bracket.lower) / 2**79
    assert float(bracket) == math.pi


def test_the_width_promised_is_kept() -> None:
    # At the first precision the ball is 1 ± nearly 2**-80, so twice as wide as promised.
    def compute() -> arb:
        return arb(1, 1.99 * 2.0**-81) if ctx.prec == balls.FIRST_PRECISION else arb(1, 2.0**-200)

    bracket = balls.enclosure(compute, relative_bits=80)
    assert bracket.width <= Fraction(bracket.upper) / 2**80


def test_a_hidden_zero_is_enclosed_narrowly() -> None:
    bracket = balls.enclosure(lambda: arb(2).sqrt() ** 2 - 2)
    assert 0 in bracket
    assert bracket.width < Fraction(1, 2**4000)


def test_an_exact_zero_is_exact() -> None:
    assert balls.enclosure(lambda: arb(0)) == Interval.exactly(0)


def test_infinite_balls() -> None:
    up, down = balls.interval(arb("inf")), balls.interval(arb("-inf"))
    assert (up.lower, up.upper) == (math.inf, math.inf)
    assert (down.lower, down.upper) == (-math.inf, -math.inf)
    line = balls.interval(arb(0, math.inf))
    assert (line.lower, line.upper) == (-math.inf, math.inf)


@pytest.mark.parametrize(
    "compute",
    [
        lambda: arb("nan"),
        lambda: arb(-1).log(),
        lambda: arb(1) / arb(0),
        lambda: arb(1) / arb(0, 1),
    ],
    ids=["nan", "log of -1", "1/0", "1/(0±1)"],
)
@pytest.mark.parametrize("ask", [balls.enclosure, lambda compute: balls.interval(compute())])
def test_an_undefined_ball_never_becomes_a_claim(compute: object, ask: object) -> None:
    try:
        bracket = ask(compute)  # type: ignore[operator]
    except (ArithmeticError, ValueError, LeastNoiseError):
        return
    assert (bracket.lower, bracket.upper) == (-math.inf, math.inf)


# Signs


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda: arb.pi() - balls.ball(Fraction(22, 7)), -1),
        (lambda: arb.pi() - balls.ball(Fraction(333, 106)), 1),
        (lambda: arb(0), 0),
        (lambda: balls.ball(Fraction(1, 4)) - balls.ball(Fraction(1, 4)), 0),
        (lambda: arb(-(10**6)).exp(), 1),
    ],
)
def test_signs(compute: balls.Computation, expected: int) -> None:
    assert balls.sign(compute) == expected


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("digits", [300, 3000])
def test_near_ties_are_decided(side: int, digits: int) -> None:
    with mpmath.workdps(digits + 50):
        near = rational(+mpmath.pi) + Fraction(side, 10**digits)
    assert balls.sign(lambda: balls.ball(near) - arb.pi()) == side


@pytest.mark.parametrize("compute", [lambda: arb(2).sqrt() ** 2 - 2, lambda: arb("nan")])
def test_an_undecidable_sign_is_said_to_be_one(compute: balls.Computation) -> None:
    with time_limit(20), pytest.raises(Undecided, match="must differ"):
        balls.sign(compute)


# Floors


@settings(deadline=None)
@given(st.fractions(), st.integers(-5, 5))
def test_floors_of_rationals_that_are_not_integers(value: Fraction, shift: int) -> None:
    odd = value + shift + Fraction(1, 3 * value.denominator)
    assert balls.floor(lambda: balls.ball(odd)) == math.floor(odd)


@pytest.mark.parametrize("whole", [0, 1, -1, 2**64, -(10**30)])
def test_floors_of_exact_integers(whole: int) -> None:
    assert balls.floor(lambda: balls.ball(whole)) == whole


def test_a_number_famous_for_being_nearly_an_integer() -> None:
    def compute() -> arb:
        power = arb.pi() * arb(163).sqrt()
        return power.exp()

    assert balls.floor(compute) == 262537412640768743


@pytest.mark.parametrize("whole", [0, 7, -7, 10**40])
def test_floors_near_integers(whole: int) -> None:
    tiny = Fraction(1, 10**300)
    assert balls.floor(lambda: balls.ball(whole + tiny)) == whole
    assert balls.floor(lambda: balls.ball(whole - tiny)) == whole - 1


def test_floors_of_numbers_longer_than_the_first_precision() -> None:
    with mpmath.workdps(500):
        expected = int(mpmath.floor(mpmath.exp(1000)))
    assert balls.floor(lambda: arb(1000).exp()) == expected


def test_an_undecidable_floor_is_said_to_be_one() -> None:
    with time_limit(20), pytest.raises(Undecided, match="integer"):
        balls.floor(lambda: arb(2).sqrt() ** 2)


# Threads and forks


@settings(max_examples=20, deadline=None)
@given(st.lists(st.fractions(-20, 20), min_size=8, max_size=8))
def test_threads_do_not_disturb_each_other(exponents: list[Fraction]) -> None:
    before = ctx.prec

    def ask(place: int) -> Interval:
        exponent, bits = exponents[place % 8], 40 + 150 * (place % 5)
        bracket = balls.enclosure(lambda: balls.ball(exponent).exp(), relative_bits=bits)
        assert bracket.width <= 4 * Fraction(bracket.upper) / 2**bits
        return bracket

    with ThreadPoolExecutor(8) as pool:
        brackets = list(pool.map(ask, range(40)))
    with mpmath.workdps(300):
        for place, bracket in enumerate(brackets):
            exponent = exponents[place % 8]
            truth = mpmath.exp(mpmath.mpf(exponent.numerator) / exponent.denominator)
            assert_holds(bracket, truth, 290)
    assert ctx.prec == before


def test_threads_that_fail_restore_the_precision() -> None:
    before = ctx.prec
    with ThreadPoolExecutor(8) as pool:
        failing = [pool.submit(balls.sign, _divide_by_zero) for _ in range(50)]
        working = [pool.submit(balls.floor, lambda: arb.pi() * 100) for _ in range(50)]
    assert all(isinstance(future.exception(), ZeroDivisionError) for future in failing)
    assert [future.result() for future in working] == [314] * 50
    assert ctx.prec == before


def test_a_child_forked_while_a_thread_computes_is_not_locked_out() -> None:
    shown = run_python(
        """
        import os, select, sys, threading
        from flint import arb
        from leastnoise.numeric import ball as balls

        inside, leave = threading.Event(), threading.Event()

        def hold():
            with balls.precision(999):
                inside.set()
                leave.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        inside.wait()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, str(balls.sign(lambda: arb.pi())).encode())
            os._exit(0)
        ready, _, _ = select.select([reader], [], [], 600)
        print(os.read(reader, 9).decode() if ready else "locked out")
        if not ready:
            os.kill(child, 9)
        os.waitpid(child, 0)
        leave.set()
        thread.join()
        """
    )
    assert shown.split() == ["1"]


def test_a_child_gets_a_lock_that_nobody_holds() -> None:
    inside, leave = Event(), Event()

    def hold() -> None:
        with balls.precision(999):
            inside.set()
            leave.wait()

    before = ctx.prec
    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(hold)
        inside.wait()
        assert not balls._LOCK.acquire(blocking=False)
        balls._after_fork_in_child()
        assert balls._LOCK.acquire(blocking=False)
        balls._LOCK.release()
        leave.set()
        holding.result()
    assert ctx.prec == before


# Extreme exponents


@pytest.mark.parametrize("exponent", [10**12, -(10**12), 10**30, -(10**30)])
def test_numbers_of_absurd_size_do_not_fill_memory(exponent: int) -> None:
    shown = run_python(
        f"""
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        from flint import arb
        from leastnoise.errors import LeastNoiseError
        from leastnoise.numeric import ball as balls

        try:
            bracket = balls.enclosure(lambda: arb({exponent}).exp())
        except LeastNoiseError:
            print("refused")
        else:
            low, high = bracket.lower, bracket.upper
            sound = 1 < low and 10**300 < high if {exponent} > 0 else low < high < 1
            print("sound" if sound else "wrong")
        """,
        seconds=5,
    )
    assert shown.split() in (["refused"], ["sound"])


@given(st.integers(-(2**80), 2**80), st.integers(-90, 20))
def test_the_integer_part_of_an_exact_ball(mantissa: int, exponent: int) -> None:
    with balls.precision(128):
        value = arb(mantissa) * arb(2) ** exponent
    assert balls.floor_of(value) == math.floor(mantissa * Fraction(2) ** exponent)
