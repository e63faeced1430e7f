"""What no mechanism can do: bounds held against linear programs and enumeration."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from mpmath import atanh, digamma, exp, log, mpf, quad, sinh, sqrt, tanh
from numpy.typing import NDArray

from leastnoise.numeric import ball as balls
from leastnoise.sizes.barriers.average_fingerprint import _Trial
from leastnoise.sizes.barriers.barrier import Barrier
from leastnoise.sizes.barriers.group_sizes import Group, group_of, group_sizes
from leastnoise.sizes.barriers.impossible import (
    barrier_at,
    first_possible_records,
    least_possible_epsilon,
    least_possible_error,
)
from leastnoise.sizes.barriers.packing_bound import packing_barrier
from leastnoise.sizes.barriers.spread_bound import _total as spread_total
from leastnoise.sizes.barriers.worst_fingerprint import WorstFingerprint
from leastnoise.sizes.means_task import MeansTask
from leastnoise.tabulation.objective import ObjectiveName
from tests.sizes.least_errors import Tiny, least_failure, least_mean_error

Floats = NDArray[np.float64]


def task(
    dimension: int, epsilon: str, delta: str, objective: ObjectiveName = "max", level: str = "0.95"
) -> MeansTask:
    return MeansTask(
        dimension=dimension,
        epsilon=epsilon,
        delta=delta,
        objective=objective,
        confidence=level if objective == "max" else None,
    )


# Against the best mechanism there is, on tables small enough to find it.

TINY = [
    (Tiny(1, 3, 0.25), "0.3", "0"),
    (Tiny(1, 3, 0.25), "1", "0.05"),
    (Tiny(1, 8, 0.25), "1", "0"),
    (Tiny(1, 8, 0.25), "0.1", "0.01"),
    (Tiny(2, 2, 0.5), "0.3", "0"),
    (Tiny(2, 2, 0.5), "1", "0"),
]


@pytest.mark.parametrize(("tiny", "epsilon", "delta"), TINY)
def test_no_mechanism_beats_the_bound_on_the_mean_error(
    tiny: Tiny, epsilon: str, delta: str
) -> None:
    best = least_mean_error(tiny, float(epsilon), float(delta))
    barrier = barrier_at(task(tiny.dimension, epsilon, delta, "average"), tiny.records)
    assert barrier is not None
    assert best / 8 < barrier.total <= best + tiny.step / 2 + 1e-7


@pytest.mark.parametrize(("tiny", "epsilon", "delta"), TINY)
def test_no_mechanism_beats_the_bound_on_the_worst_error(
    tiny: Tiny, epsilon: str, delta: str
) -> None:
    """A mechanism that fails with chance f at error e exists: no barrier for f may be above e."""
    for error in (0.5, 1.0):
        failure = least_failure(tiny, error, float(epsilon), float(delta)) + 1e-6
        barrier = barrier_at(
            task(tiny.dimension, epsilon, delta, level=str(1 - failure)), tiny.records
        )
        assert barrier is None or barrier.total <= error


def test_packing_is_sharp_for_one_record() -> None:
    """The best mechanism fails with probability 1/(1 + e); packing excludes all that fail less."""
    failure = Fraction(least_failure(Tiny(1, 1, 0.25), 0.75, 1, 0))
    assert float(failure) == pytest.approx(1 / (1 + math.e))
    for change, total in ((-1, 1), (1, 0)):
        nearby = failure + Fraction(change, 10**6)
        assert packing_barrier(1, Fraction(1), Fraction(0), nearby).total == total


# The two halves of the fingerprinting proof, by enumeration of one column.


def chances(records: int) -> Floats:
    """P(ones = k | p) as a function of p, for k = 0..records, on a grid of p."""
    return np.array([math.comb(records, k) for k in range(records + 1)], dtype=float)


def column_law(records: int, mean: float) -> Floats:
    plus = (1 + mean) / 2
    k = np.arange(records + 1)
    law: Floats = chances(records) * plus**k * (1 - plus) ** (records - k)
    return law


ANSWERS = np.linspace(-1.5, 1.5, 9)


def mechanism(records: int, seed: int, sharpness: float) -> Floats:
    """P(answer | ones), one row per number of ones: noisy means with random weights."""
    generator = np.random.default_rng(seed)
    means = 2 * np.arange(records + 1) / records - 1
    weights = np.exp(
        -sharpness * np.abs(ANSWERS[None, :] - means[:, None])
        + 0.3 * generator.standard_normal((records + 1, len(ANSWERS)))
    )
    rows: Floats = weights / weights.sum(axis=1, keepdims=True)
    return rows


def score(
    rows: Floats, mean: float, cut: float, *, swapped: bool, answers: Floats = ANSWERS
) -> float:
    """E Tᵢ of one record at P = mean; `swapped` answers a table with another record in place."""
    records, total = len(rows) - 1, 0.0
    others = column_law(records - 1, mean)
    for ones, chance in enumerate(others):
        centre = (2 * ones - (records - 1) + mean) / records
        phi = np.clip(answers - centre, -cut, cut)
        for own in (0, 1):
            weight = (1 + mean) / 2 if own else (1 - mean) / 2
            law = rows[ones + own]
            if swapped:
                law = (1 + mean) / 2 * rows[ones + 1] + (1 - mean) / 2 * rows[ones]
            total += chance * weight * float(law @ phi) * (2 * own - 1 - mean)
    return total


def loss_of(rows: Floats) -> float:
    return max(float(np.abs(np.log(one / other)).max()) for one, other in pairwise(rows))


@pytest.mark.parametrize("records", [1, 2, 4])
@pytest.mark.parametrize("sharpness", [0.5, 3.0, 12.0])
def test_accuracy_makes_scores_high_and_privacy_keeps_them_low(
    records: int, sharpness: float
) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(24)
    for seed in range(4):
        rows = mechanism(records, seed, sharpness)
        means = 2 * np.arange(records + 1) / records - 1
        for alpha, reach in ((0.3, 0.5), (0.6, 0.8)):
            missed = np.abs(ANSWERS[None, :] - means[:, None]) > alpha
            failure = float((rows * missed).sum(axis=1).max())
            cut, angle = alpha + (1 + reach) / records, math.atanh(reach)
            points = np.tanh(angle * nodes)
            each = [score(rows, float(p), cut, swapped=False) for p in points]
            found = float(np.array(each) @ weights / 2)
            least = ((1 - failure) * reach - alpha - failure * (1 + reach) / records) / angle
            assert records * found >= least - 1e-9
            loss = loss_of(rows)
            caps = (
                2 * math.sinh(loss / 2) * cut * math.sqrt(reach / angle),
                cut * math.sqrt(2 * loss * math.tanh(loss / 2)),
            )
            assert found <= min(caps) + 1e-9
            nothing = [score(rows, float(p), cut, swapped=True) for p in points]
            assert max(map(abs, nothing)) < 1e-12


@pytest.mark.parametrize("records", [1, 3])
@pytest.mark.parametrize("sharpness", [0.5, 12.0])
def test_the_same_for_the_mean_error(records: int, sharpness: float) -> None:
    """The prior of section 6: θ Laplace; the integral over θ by Gauss and Laguerre."""
    nodes, weights = np.polynomial.laguerre.laggauss(60)
    for seed, rate, cut in ((0, 1.0, 2.5), (1, 2.0, 3.0)):
        rows = mechanism(records, seed, sharpness)
        means = 2 * np.arange(records + 1) / records - 1
        error = float((rows * np.abs(ANSWERS[None, :] - means[:, None])).sum(axis=1).max())
        points = np.tanh(nodes / (2 * rate))
        spread = float((1 - points**2) @ weights)
        signs = (1.0, -1.0)
        each = [
            sum(score(rows, s * float(p), cut, swapped=False) for s in signs) / 2 for p in points
        ]
        found = float(np.array(each) @ weights)
        least = spread * (1 - 1 / records) - error * (2 * rate + 1 / (cut - 2 / records))
        assert records * found >= least - 1e-6
        size, loss = math.sqrt(cut * error) + math.sqrt(spread) / records, loss_of(rows)
        caps = 2 * math.sinh(loss / 2) * size, math.sqrt(2 * loss * math.tanh(loss / 2)) * size
        assert found <= min(caps) + 1e-9


@pytest.mark.parametrize("records", [1, 3])
@pytest.mark.parametrize("sharpness", [0.5, 12.0])
def test_the_same_without_a_cut(records: int, sharpness: float) -> None:
    """Answers in [−1, 1], τ = 2."""
    nodes, weights = np.polynomial.laguerre.laggauss(60)
    for seed, rate in ((0, 1.0), (1, 3.0)):
        rows = mechanism(records, seed, sharpness)[:, 2:-2]  # of the answers −1.5 … 1.5
        rows = rows / rows.sum(axis=1, keepdims=True)
        answers = ANSWERS[2:-2]
        means = 2 * np.arange(records + 1) / records - 1
        error = float((rows * np.abs(answers[None, :] - means[:, None])).sum(axis=1).max())
        points = np.tanh(nodes / (2 * rate))
        spread = float((1 - points**2) @ weights)
        each = [
            sum(score(rows, s * float(p), 2.0, swapped=False, answers=answers) for s in (1, -1)) / 2
            for p in points
        ]
        found = float(np.array(each) @ weights)
        assert records * found >= spread - 2 * rate * error - 1e-6
        size, loss = math.sqrt(2 * error) + math.sqrt(spread) / records, loss_of(rows)
        caps = 2 * math.sinh(loss / 2) * size, math.sqrt(2 * loss * math.tanh(loss / 2)) * size
        assert found <= min(caps) + 1e-9


@pytest.mark.parametrize("records", [1, 5, 50])
def test_fingerprinting_identity_has_the_constant_two_thirds(records: int) -> None:
    """docs/proofs/fingerprinting.md, section 6: all words, in fractions; P uniform on [−1, 1].

    The density of P given k ones is a beta density, so every integral is a fraction.
    """
    total = Fraction(0)
    for ones in range(records + 1):
        mean = Fraction(2 * ones - records, records)
        given = Fraction(2 * (ones + 1), records + 2) - 1  # E[P | ones], by the beta integral
        # E[f·Σ(Xᵢ − P) | ones] + 2|f − X̄| at f = X̄, and nearby f are no better
        values = [
            f * records * (mean - given) + 2 * abs(f - mean)
            for f in (mean, mean - Fraction(1, 100), mean + Fraction(1, 100), Fraction(0))
        ]
        assert min(values) == values[0] or abs(mean) == 1
        total += values[0] / (records + 1)
    assert total == Fraction(2, 3)


# Numbers: balls against mpmath, golden values, and behaviour.


def test_worst_fingerprint_formula() -> None:
    group = Group(5, Fraction(5, 2), Fraction(1, 1000))
    bound = WorstFingerprint(1000, Fraction(1, 20))
    found = balls.enclosure(lambda: bound._total(group, Fraction(1, 2), 40))
    a, n, d, loss, leak = mpf(1) / 2, 40, 1000, mpf(5) / 2, mpf(1) / 1000
    kappa = loss * tanh(loss / 2) - log(1 - leak)
    w = min(
        2 * sinh(loss / 2) * sqrt(d * a / atanh(a)) + 2 * leak * (1 + a) * d,
        sqrt(2 * d * kappa) + leak * (1 + a) * d,
    )

    def slack(alpha: mpf) -> mpf:
        left = d * (mpf("0.95") * a - alpha - mpf("0.05") * (1 + a) / n) / atanh(a)
        return left - n * (alpha + (1 + a) / n) * w

    alpha = mpf(found.lower.numerator) / found.lower.denominator / (5 * n)  # type: ignore[union-attr]
    assert abs(slack(alpha)) < 1e-12 * d
    assert slack(alpha * (1 - mpf(10) ** -9)) > 0 > slack(alpha * (1 + mpf(10) ** -9))


def test_spread_formula() -> None:
    group = Group(12, Fraction(12, 10), Fraction(1, 100))
    found = float(balls.enclosure(lambda: spread_total(group, Fraction(1, 3), 50)))
    lam, t, leak, loss = mpf(1) / 3, 12, mpf("0.01"), mpf("1.2")
    q = exp(-2 * lam)
    gain = log((2 + (t - 1) * (1 - q)) / (1 + q))
    price = (loss * tanh(loss / 2) - log(1 - leak)) / 50
    assert found == pytest.approx(float((1 - leak) / lam * (gain - price)), rel=1e-14)


@pytest.mark.parametrize("spread", [1, 7])
@pytest.mark.parametrize("tilt", [0.1, 1.0])
def test_no_guess_is_closer_to_the_spread_sums(spread: int, tilt: float) -> None:
    q = math.exp(-2 * tilt)
    scale = (1 + q) / (2 + (spread - 1) * (1 - q))
    inner = [scale * (1 - q) / (1 + q)] * (spread - 1)
    law = np.array([scale / (1 + q), *inner, scale / (1 + q)])
    values = np.arange(-spread, spread + 1, 2)
    assert law.sum() == pytest.approx(1)
    guesses = np.linspace(-spread - 3, spread + 3, 997)
    near = (law * np.exp(-tilt * np.abs(values - guesses[:, None]))).sum(axis=1)
    assert near.max() <= scale + 1e-12
    at_values = (law * np.exp(-tilt * np.abs(values - values[:, None]))).sum(axis=1)
    assert at_values == pytest.approx(scale)


@pytest.mark.parametrize("rate", ["1/2", "1", "3", "25"])
def test_average_fingerprint_spread(rate: str) -> None:
    """E(1 − P²) by the digamma function, by quadrature and by the search's rough sum."""
    r = mpf(Fraction(rate).numerator) / Fraction(rate).denominator
    group = Group(1, Fraction(1), Fraction(0))
    exact = balls.enclosure(_Trial(group, 10, Fraction(rate), Fraction(1))._spread)
    beta = (digamma((r + 1) / 2) - digamma(r / 2)) / 2
    assert float(exact) == pytest.approx(float(4 * r * (r * beta - mpf(1) / 2)), rel=1e-14)
    assert float(exact) == pytest.approx(float(4 * r * quad(lambda x: x**r / (1 + x) ** 2, [0, 1])))


def test_average_fingerprint_inequality() -> None:
    group = Group(3, Fraction(3), Fraction(1, 10**4))
    trial = _Trial(group, 50, Fraction(2), Fraction(3, 10))
    found = float(balls.enclosure(lambda: trial.excess(Fraction(1, 10), 10**4)))
    d, n, alpha, tau, s = 10**4, 50, 0.1, 0.3, float(balls.enclosure(trial._spread))
    u = math.sqrt(tau * alpha) + math.sqrt(s) / n
    kappa = 3 * math.tanh(1.5) - math.log(1 - 1e-4)
    w = min(
        2 * math.sinh(1.5) * math.sqrt(d) * u + 4e-4 * tau * d,
        math.sqrt(2 * d * kappa) * u + 2e-4 * tau * d,
    )
    left = d * (s * (1 - 1 / n) - alpha * (4 + 1 / (tau - 2 / n)))
    assert found == pytest.approx(left - n * w, rel=1e-12)
    uncut = float(
        balls.enclosure(lambda: _Trial(group, 50, Fraction(2), None).excess(Fraction(1, 10), d))
    )
    u = math.sqrt(2 * alpha) + math.sqrt(s) / n
    w = min(
        2 * math.sinh(1.5) * math.sqrt(d) * u + 8e-4 * d,
        math.sqrt(2 * d * kappa) * u + 4e-4 * d,
    )
    assert uncut == pytest.approx(d * (s - 4 * alpha) - n * w, rel=1e-12)


@pytest.mark.parametrize(
    ("asked", "error", "least"),
    [
        (task(100, "1", "0", "max"), "0.05", 1440),  # ⌈(ln(2^100 − 1) + ln 19)⌉ − 1 = 72, over 0.05
        (task(100, "1", "1e-6", "max"), "0.05", 300),
        (task(1000, "1", "1e-6", "max"), "0.1", 300),
        (task(10_000, "1", "1e-6", "max"), "0.1", 1159),
        (task(1, "1", "0", "max"), "0.05", 100),
        (task(100, "1", "0", "average"), "0.05", 324),
        (task(1000, "1", "1e-6", "average"), "0.1", 93),
        (task(10_000, "1", "1e-6", "average"), "0.01", 5147),
        (task(1, "1", "0", "average"), "0.05", 35),
    ],
)
def test_golden_bounds(asked: MeansTask, error: str, least: int) -> None:
    """Values of the formulas at the parameters found; a better search may raise them."""
    found, reason = first_possible_records(asked, Fraction(error))
    assert found == least
    assert reason is not None


def test_packing_beats_the_published_appendix() -> None:
    """SteinkeUllman2016, Appendix A: n > (d/800 − ln 20)/ε."""
    for dimension in (10, 1000, 100_000):
        found, _ = first_possible_records(task(dimension, "1", "0"), Fraction(9, 10))
        assert found > 10 * max(dimension / 800 - math.log(20), 0)


def usual_bound(dimension: int, delta: float, error: float) -> float:
    """docs/proofs/sample_size.md, section 7, at ε = 1: the best over k and α₀."""
    best = 0.0
    for k in range(1, 20):
        leak = delta * math.expm1(k) / math.expm1(1)
        first = math.sinh(k) * math.sqrt(2 * dimension / 3) + 4 * dimension * leak
        second = math.sqrt(2 * dimension * k) + math.sqrt(dimension / (2 * k))
        cap = min(first, second + 2 * dimension * leak)
        for raised in np.linspace(error, 1 / 3, 200):
            gain = dimension * (2 / 3 - 2 * raised) / cap
            best = max(best, float(raised) / error * k * (gain - 1))
    return best


@pytest.mark.parametrize(("dimension", "usual"), [(1000, 20), (10_000, 83), (100_000, 267)])
def test_the_usual_form_is_weaker(dimension: int, usual: int) -> None:
    assert math.floor(usual_bound(dimension, 1e-6, 0.1)) == usual
    found, _ = first_possible_records(task(dimension, "1", "1e-6", "average"), Fraction(1, 10))
    assert found > 2 * usual


@pytest.mark.parametrize("objective", ["max", "average"])
@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_every_smaller_table_is_excluded(objective: ObjectiveName, delta: str) -> None:
    asked, error = task(300, "0.5", delta, objective), Fraction(1, 20)
    least, _ = first_possible_records(asked, error)
    for records in {1, 2, 3, least // 10, least // 3, least // 2, least - 1} - {0}:
        barrier = barrier_at(asked, records)
        assert barrier is not None
        assert barrier.records <= records
        assert barrier.total > error * records


@pytest.mark.parametrize("objective", ["max", "average", "squared"])
def test_bounds_move_the_right_way(objective: ObjectiveName) -> None:
    def least(dimension: int, epsilon: str, delta: str, error: str) -> int:
        found = first_possible_records(task(dimension, epsilon, delta, objective), Fraction(error))
        return found[0]

    base = least(200, "1", "1e-9", "0.05")
    assert least(400, "1", "1e-9", "0.05") >= base
    assert least(200, "0.5", "1e-9", "0.05") >= base
    assert least(200, "1", "1e-12", "0.05") >= base
    assert least(200, "1", "1e-9", "0.02") >= base
    assert base > 1


@pytest.mark.parametrize("objective", ["max", "average"])
def test_the_three_questions_agree(objective: ObjectiveName) -> None:
    asked, error = task(500, "1", "1e-6", objective), Fraction(1, 10)
    least, _ = first_possible_records(asked, error)
    assert least_possible_error(asked, least) <= error
    assert least_possible_error(asked, least - 1) > error * Fraction(99, 100)
    loss = least_possible_epsilon(asked, least - 1, error)
    assert 1 <= loss < Fraction(12, 10)
    assert least_possible_epsilon(asked, 10 * least, error) < 1


def test_nothing_is_known_where_delta_is_large() -> None:
    assert least_possible_epsilon(task(3, "1", "0.9"), 10**3, Fraction(1, 2)) == 0
    assert least_possible_error(task(1, "1", "0.999"), 10) == 0


def test_groups_are_rounded_up() -> None:
    group = group_of(Fraction(1), Fraction(1, 10**6), 5)
    assert group is not None
    assert float(group.leak) == pytest.approx(8.5791e-5, rel=1e-5)
    assert group_of(Fraction(1), Fraction(1, 10), 50) is None
    sizes = group_sizes(Fraction(1, 100), Fraction(1, 10**6), 10**9).size[:, 0]
    assert sizes[-1] < 1500
    assert (np.diff(sizes) > 0).all()
    assert group_sizes(Fraction(1), Fraction(0), 10**6).size[-1, 0] == 10**6


def test_barrier_counts() -> None:
    assert Barrier(1, Fraction(72), "").first_possible(Fraction(1, 20)) == 1440
    assert Barrier(1, Fraction(72), "").first_possible(Fraction(7)) == 11
