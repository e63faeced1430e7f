"""Group-wise zCDP: curves as values, and what follows from them."""

import math
from dataclasses import FrozenInstanceError, dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.privacy.curves.budget_curve import (
    BudgetCurve,
    ConstantBudget,
    StepBudget,
    SumOfBudgets,
    float_above,
    sum_of_curves,
)
from leastnoise.privacy.divergence import renyi
from leastnoise.privacy.groupwise import GroupwiseZCDP, PublishablePromise
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.privacy.laws.normal import Normal
from leastnoise.privacy.to_approx import pure_to_approx, zcdp_to_approx

SECRET = 987654321


@dataclass(frozen=True)
class InverseSquare(BudgetCurve):
    """c/x², the wish of the open problem, for sizes of at least 1."""

    factor: Fraction

    def __call__(self, size: int) -> Fraction:
        return self.factor / size**2


@dataclass(frozen=True)
class Careless(BudgetCurve):
    """Whatever a careless author returns."""

    value: object

    def __call__(self, size: int) -> Fraction:
        return self.value(size)  # type: ignore[operator,no-any-return]


WISH = InverseSquare(Fraction(50))
STEPS = StepBudget({0: 2, 10: "0.5", 100: "0.01"})
CURVES: list[BudgetCurve] = [WISH, STEPS, ConstantBudget("0.1"), WISH + STEPS, 3 * STEPS + "1/3"]


# Curves


@pytest.mark.parametrize("curve", [*CURVES, StepBudget({5: 0.1})], ids=repr)
def test_a_printed_curve_reads_back(curve: BudgetCurve) -> None:
    names = {"ConstantBudget": ConstantBudget, "StepBudget": StepBudget, "Fraction": Fraction}
    copy = eval(repr(curve), {**names, "InverseSquare": InverseSquare})
    assert copy == curve
    assert hash(copy) == hash(curve)


def test_sums_are_values() -> None:
    one = WISH + STEPS + STEPS + "0.25"
    other = ConstantBudget("0.25") + 2 * STEPS + WISH
    assert one == other
    assert hash(one) == hash(other)
    assert one != WISH + STEPS + "0.25"
    assert ConstantBudget(0) == 0 * WISH
    assert WISH == 1 * WISH
    assert 2 * (WISH + STEPS) == (STEPS + WISH) + (WISH + STEPS)
    assert isinstance(2 * WISH, SumOfBudgets)
    assert sum_of_curves([]) == ConstantBudget(0)
    assert WISH + 0 == WISH


@pytest.mark.parametrize("size", [1, 9, 10, 99, 100, 10**30])
def test_sums_add(size: int) -> None:
    curve = WISH + 3 * STEPS + "0.25"
    assert curve(size) == WISH(size) + 3 * STEPS(size) + Fraction(1, 4)


@pytest.mark.parametrize("curve", CURVES, ids=repr)
def test_many_sizes_at_once_round_up(curve: BudgetCurve) -> None:
    sizes = np.array([[1, 7, 7], [10, 99, 10**12]])
    bounds = curve.upper_bounds(sizes)
    assert bounds.shape == sizes.shape
    for size, bound in zip(sizes.ravel().tolist(), bounds.ravel().tolist(), strict=True):
        exact = curve(size)
        assert exact <= Fraction(bound) <= exact * (1 + Fraction(1, 2**50))


def test_no_sizes_at_all() -> None:
    for curve in CURVES:
        assert curve.upper_bounds(np.zeros((0, 3), dtype=np.int64)).shape == (0, 3)


@given(st.fractions(min_value=0))
def test_float_above(value: Fraction) -> None:
    above = float_above(value)
    assert above == math.inf or Fraction(above) >= value
    assert above == 0 or Fraction(math.nextafter(above, 0)) < value


def test_float_above_at_the_ends() -> None:
    assert float_above(Fraction(10) ** 400) == math.inf
    assert float_above(Fraction(1, 10**400)) == math.nextafter(0, 1)


def test_a_million_sizes() -> None:
    sizes = np.arange(1_000_000) % 5000 + 1
    bounds = GroupwiseZCDP(v=WISH, smallest=1).upper_bounds(sizes)
    assert np.all(bounds >= 50 / sizes.astype(float) ** 2)


@given(st.integers(0, 300), st.lists(st.integers(0, 250), min_size=1, max_size=6, unique=True))
def test_steps_through_a_falling_curve_lie_above_it(size: int, cuts: list[int]) -> None:
    falling = InverseSquare(Fraction(3))
    table = StepBudget({cut: falling(cut + 1) for cut in cuts})
    if size >= min(cuts):
        assert table(size) >= falling(size + 1)
        below = max(cut for cut in cuts if cut <= size)
        assert table(size) == falling(below + 1)


@pytest.mark.parametrize("steps", [{}, [], {0: 1, 5: 2}, {-1: 1}, {0: -1}, {0: math.nan}, 3])
def test_bad_steps(steps: object) -> None:
    with pytest.raises(InvalidParameter):
        StepBudget(steps)  # type: ignore[arg-type]


# The guarantee


def test_it_is_a_value() -> None:
    promise = GroupwiseZCDP(v=STEPS, xi="0.1", smallest=3)
    names = {"ConstantBudget": ConstantBudget, "StepBudget": StepBudget}
    assert eval(repr(promise), {**names, "GroupwiseZCDP": GroupwiseZCDP}) == promise
    assert hash(promise) == hash(GroupwiseZCDP(v=STEPS, xi="0.1", smallest=3))
    assert promise != GroupwiseZCDP(v=STEPS, xi="0.1")
    assert repr(GroupwiseZCDP(v=1)) == "GroupwiseZCDP(v=ConstantBudget(1))"
    assert str(GroupwiseZCDP(v=1)).endswith("v = ConstantBudget(1)")
    with pytest.raises(FrozenInstanceError):
        promise.smallest = 4  # type: ignore[misc]


def test_at_one_size() -> None:
    promise = GroupwiseZCDP(v=WISH, smallest=1)
    assert promise.at(10) == ZCDP(rho="0.5")
    assert promise.for_all_sizes() == ZCDP(rho=50)
    assert GroupwiseZCDP(v=WISH, xi=1, smallest=5).at(10) == ZCDP(rho="1.5")


def test_conversion_at_one_size() -> None:
    plain = GroupwiseZCDP(v=STEPS)
    assert plain.approx(10, delta="1e-6") == zcdp_to_approx(ZCDP(rho="0.5"), delta="1e-6")
    shifted = GroupwiseZCDP(v=STEPS, xi="0.25")
    alone = plain.approx(10, delta="1e-6")
    assert shifted.approx(10, delta="1e-6").epsilon == alone.epsilon + Fraction(1, 4)
    # The offset is no part of ρ: that road is longer.
    assert zcdp_to_approx(shifted.at(10), delta="1e-6").epsilon > alone.epsilon + Fraction(1, 4)
    offset_only = GroupwiseZCDP(v=0, xi=1)
    assert offset_only.approx(3, delta=0) == ApproxDP(epsilon=1, delta=0)
    pure = pure_to_approx(PureDP(epsilon=1), delta="0.1")
    assert offset_only.approx(3, delta="0.1") == pure
    with pytest.raises(UnsupportedQuery):
        plain.approx(10, delta=0)


def test_conversion_with_an_offset_is_sound() -> None:
    """Randomised response with loss ±ξ beside Gaussian noise has D_α ≤ αρ + ξ, and a known δ(ε)."""
    rho, xi = 0.5, 0.3
    mu = math.sqrt(2 * rho)
    keep = math.exp(xi) / (1 + math.exp(xi))

    def phi(z: float) -> float:
        return math.erfc(-z / math.sqrt(2)) / 2

    def gauss(e: float) -> float:
        return phi(mu / 2 - e / mu) - math.exp(e) * phi(-mu / 2 - e / mu)

    promise = GroupwiseZCDP(v=rho, xi=xi)
    for delta in ("1e-2", "1e-4", "1e-8"):
        epsilon = float(promise.approx(1, delta=delta).epsilon)
        leak = keep * gauss(epsilon - xi) + (1 - keep) * gauss(epsilon + xi)
        assert leak <= float(delta)


def test_composition_adds_curves() -> None:
    first = GroupwiseZCDP(v=WISH, smallest=1)
    second = GroupwiseZCDP(v=STEPS, xi="0.1", smallest=3)
    both = first.compose(second)
    assert both.smallest == 3
    assert both.v == WISH + STEPS
    assert both.at(10) == ZCDP(rho=first.at(10).rho + second.at(10).rho)
    assert both == second.compose(first)
    assert first.self_compose(4) == first.compose(first).compose(first.compose(first))
    assert first.self_compose(0) == GroupwiseZCDP(v=0, smallest=1)
    assert first.compose(ZCDP(rho="0.25")).at(10) == ZCDP(rho="0.75")


@settings(deadline=None, max_examples=50)
@given(
    st.integers(1, 400),
    st.integers(1, 5),
    st.sampled_from([Fraction(5, 4), Fraction(2), Fraction(7), Fraction(40)]),
)
def test_gaussian_noise_composes_as_promised(size: int, count: int, order: Fraction) -> None:
    """`count` noisy copies of a code with falling gaps attain the summed curve exactly."""
    code = [Fraction(0)]
    for x in range(1, size + 1):
        code.append(code[-1] + Fraction(1, x))
    promise = GroupwiseZCDP(v=InverseSquare(Fraction(1, 2)), smallest=1).self_compose(count)
    # count releases with variance 1 are one with variance 1/count.
    for one, other in ((size - 1, size), (size, size - 1)):
        if min(one, other) < 1:
            continue
        variance = Fraction(1, count)
        found = renyi(Normal(code[one], variance), Normal(code[other], variance), order)
        assert found.upper == order * promise.at(size).rho
        assert found.upper <= order * promise.at(size - 1).rho


def test_promise_at_a_released_limit() -> None:
    promise = GroupwiseZCDP(v=WISH, smallest=2)
    stated = promise.at_lower_limit("9.01", confidence="0.95")
    assert stated == PublishablePromise(ZCDP(rho="0.5"), 10, Fraction(19, 20))
    assert promise.at_lower_limit(10, confidence=1).size == 10
    # What is publicly known beats a limit below it.
    assert promise.at_lower_limit("-7.5", confidence="0.95").size == 2
    assert "ρ = 0.5" in str(stated)
    assert "10 or more" in str(stated)
    assert "0.95" in str(stated)


def test_the_statement_holds_as_often_as_it_says() -> None:
    """Exactly: P(v(⌈L⌉) ≥ v(x)) = P(L ≤ x) for a limit from discrete Laplace noise."""
    promise, b = GroupwiseZCDP(v=WISH, smallest=1), math.exp(-0.5)
    mass = {k: (1 - b) / (1 + b) * b ** abs(k) for k in range(-200, 201)}
    for size in (1, 4, 30):
        confidence = sum(p for k, p in mass.items() if k <= 5)
        right = sum(
            p
            for k, p in mass.items()
            if promise.at_lower_limit(size + k - 5, confidence="0.9").promise.rho
            >= promise.at(size).rho
        )
        assert right >= confidence - 1e-12
        if size > 6:
            assert right == pytest.approx(confidence)


# Refusals


@pytest.mark.parametrize(
    "arguments",
    [
        {"v": -1},
        {"v": math.nan},
        {"v": math.inf},
        {"v": "x"},
        {"v": None},
        {"v": lambda x: Fraction(1, x + 1)},
        {"v": 1, "xi": -1},
        {"v": 1, "smallest": -1},
        {"v": 1, "smallest": 1.0},
        {"v": Careless(lambda x: 1 / (x + 1))},
        {"v": Careless(Fraction)},
        {"v": Careless(lambda x: Fraction(-x - 1))},
        {"v": 1, "xi": Careless(lambda x: Fraction(x > 100))},
        {"v": STEPS, "xi": Careless(lambda _: math.nan)},
        {"v": StepBudget({5: 1})},
    ],
)
def test_bad_curves(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter):
        GroupwiseZCDP(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [-SECRET, 1.5, "10", True, None, 0, [1, [2, SECRET]]])
def test_bad_sizes_are_not_shown(size: object) -> None:
    promise = GroupwiseZCDP(v=WISH, smallest=1)
    for question in (
        lambda: promise.at(size),  # type: ignore[arg-type]
        lambda: promise.approx(size, delta="1e-6"),  # type: ignore[arg-type]
        lambda: promise.upper_bounds([size]),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidParameter) as caught:
            question()
        assert str(SECRET) not in str(caught.value)
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("limit", "confidence"), [(math.nan, "0.9"), (5, 95), (5, -1), (None, 1), (5, None)]
)
def test_bad_limits(limit: object, confidence: object) -> None:
    with pytest.raises(InvalidParameter):
        GroupwiseZCDP(v=1).at_lower_limit(limit, confidence=confidence)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", [ZCDP(rho=1, delta="0.1"), PureDP(epsilon=1), 3])
def test_bad_company(other: object) -> None:
    with pytest.raises(UnsupportedQuery):
        GroupwiseZCDP(v=1).compose(other)  # type: ignore[arg-type]


def test_sizes_beyond_64_bits_are_refused() -> None:
    with pytest.raises(InvalidParameter):
        GroupwiseZCDP(v=1).upper_bounds(np.array([2**63], dtype=np.uint64))


def test_bad_counts() -> None:
    with pytest.raises(InvalidParameter):
        GroupwiseZCDP(v=1).self_compose(-1)
    with pytest.raises(InvalidParameter):
        2.5 * WISH  # type: ignore[operator]
