"""What no mechanism can do: theorems against linear programs over all mechanisms, and by hand."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from mpmath import atanh, cosh, digamma, log, mp, mpf, quad, sinh, sqrt, tanh

from leastnoise.bounds import lower_bounds, sample_size
from leastnoise.bounds.lower import (
    Group,
    barriers,
    corners,
    mean_fingerprint,
    one_column,
    packing,
    spread,
    two_tables,
    variances,
    window,
    worst_fingerprint,
)
from leastnoise.bounds.question import Objective, Question
from leastnoise.noise import DiscreteLaplace
from leastnoise.numbers import ball as balls
from leastnoise.privacy.group import sharp_delta
from tests.bounds.programs import Tiny, least_cost


def question(
    dimension: int, epsilon: Any, delta: Any = 0, objective: Objective = "max", risk: Any = "0.05"
) -> Question:
    return Question(
        dimension=dimension, epsilon=epsilon, delta=delta, objective=objective,
        confidence=1 - Fraction(risk) if objective == "max" else None, values=(-1, 1),
    )  # fmt: skip


def total(formula: Any, group: Group, *parameters: Any) -> float:
    return float(
        balls.enclosure(lambda: formula(group, *map(balls.ball, map(Fraction, parameters))))
    )


# Against the best mechanism there is, on tables that are small enough to find it

TINY = [
    (Tiny(1, 3, 0.25), "0.3", "0"),
    (Tiny(1, 3, 0.25), "1", "0.05"),
    (Tiny(1, 8, 0.5), "1", "0"),
    (Tiny(1, 8, 0.5), "0.1", "0.01"),
    (Tiny(2, 2, 0.5), "0.3", "0"),
    (Tiny(2, 2, 0.5), "1", "0"),
]


@pytest.mark.parametrize(("tiny", "epsilon", "delta"), TINY)
def test_no_mechanism_beats_the_bound_on_the_mean_error(
    tiny: Tiny, epsilon: str, delta: str
) -> None:
    """The kinks of the cost are on the grid, so no other answer is better."""
    best = least_cost(tiny, tiny.errors().mean(axis=2), float(epsilon), float(delta))
    found = max(
        barriers(question(tiny.dimension, epsilon, delta, "average"), tiny.records).values()
    )
    assert best / 4 < found <= best + 1e-7


@pytest.mark.parametrize(("tiny", "epsilon", "delta"), TINY)
def test_no_mechanism_beats_the_bound_on_squares(tiny: Tiny, epsilon: str, delta: str) -> None:
    """Rounding to the grid moves the root mean square error by at most half a step."""
    best = math.sqrt(
        least_cost(tiny, (tiny.errors() ** 2).mean(axis=2), float(epsilon), float(delta))
    )
    found = max(
        barriers(question(tiny.dimension, epsilon, delta, "squared"), tiny.records).values()
    )
    assert best / 4 < found <= best + 1e-7


@pytest.mark.parametrize(("tiny", "epsilon", "delta"), TINY)
def test_no_mechanism_beats_the_bound_on_the_worst_error(
    tiny: Tiny, epsilon: str, delta: str
) -> None:
    """A mechanism that misses with chance f at error e exists: no total for f may be above e."""
    for error in (0.5, 1.0):
        missed = (tiny.errors().max(axis=2) > error + 1e-9).astype(float)
        risk = Fraction(least_cost(tiny, missed, float(epsilon), float(delta))) + Fraction(1, 10**6)
        asked = question(tiny.dimension, epsilon, delta, risk=risk)
        assert max(barriers(asked, tiny.records).values()) <= error


def test_packing_is_sharp_for_one_record() -> None:
    """The best mechanism misses with chance 1/(1 + e); packing excludes all that miss less."""
    for change, found in ((-1, 1), (1, 0)):
        risk = Fraction(1 / (1 + math.e)) + Fraction(change, 10**9)
        assert packing(question(1, 1, risk=risk), 1) == found


@pytest.mark.parametrize(
    ("records", "epsilon", "delta", "near"),
    [(2, "1", "0", 1), (8, "1", "0", 0.99), (8, "0.3", "0", 0.99), (8, "1", "0.01", 0.85)],
)
def test_one_column_is_near_the_program(
    records: int, epsilon: str, delta: str, near: float
) -> None:
    tiny = Tiny(1, records, 2)
    best = least_cost(tiny, tiny.errors().mean(axis=2), float(epsilon), float(delta))
    found = barriers(question(1, epsilon, delta, "average"), records)["one column"]
    assert near * best - 1e-7 <= found <= best + 1e-7


@pytest.mark.parametrize(("epsilon", "records"), [("1", 12), ("2", 8), ("0.5", 14)])
@pytest.mark.parametrize("error", [1, 2, 3])
def test_windows_against_the_program(epsilon: str, records: int, error: int) -> None:
    """The least chance that a sum is off by `error` or more: no less is possible, a third is excluded."""
    tiny = Tiny(1, records, 1)
    missed = (tiny.errors().max(axis=2) > error - 0.5).astype(float)
    best = Fraction(least_cost(tiny, missed, float(epsilon), 0))
    assert window(question(1, epsilon, risk=best + Fraction(1, 10**6)), records) < error
    if epsilon != "0.5":
        assert window(question(1, epsilon, risk=best / 3), records) >= error


@pytest.mark.parametrize(
    ("epsilon", "risk", "most"),
    [("1", "0.05", 5), ("0.1", "0.05", 59), ("0.1", "0.0001", 184), ("3", "0.4", 0)],
)
def test_windows_reach_geometric_noise(epsilon: str, risk: str, most: int) -> None:
    """The greatest m with b^K (even) or 2*b^K/(1 + b) (odd) above the risk, K = ceil(m/2)."""
    b = math.exp(-float(epsilon))
    limits = [
        b ** (m // 2) if m % 2 == 0 else 2 * b ** ((m + 1) // 2) / (1 + b) for m in range(1, 300)
    ]
    assert sum(each > float(risk) for each in limits) == most
    assert window(question(1, epsilon, risk=risk), 10**9) == most
    assert window(question(1, epsilon, "1e-9", risk=risk), 10**9) == 0  # for delta 0 alone
    assert window(question(4, epsilon, risk=risk), 10**9) == 0  # packing is better


@pytest.mark.parametrize("records", [9, 30, 101, 200, 1000])
@pytest.mark.parametrize(("epsilon", "risk"), [("0.1", "0.05"), ("0.4", "0.01"), ("1.5", "0.1")])
def test_windows_by_trying(records: int, epsilon: str, risk: str) -> None:
    """The inequality of the theorem for every m and every spare: the search finds nearly the best."""
    b, h = math.exp(-float(epsilon)), records // 2

    def is_excluded(m: int, spare: int) -> bool:
        near = (m + 1) // 2
        t, u = 1 - b ** (spare + 1), b**-near - 1
        if m % 2:
            u = b ** (1 - near) - 1 + b**-near * (1 - b) / 2
        share = (2 * (h - near - spare) + 1) / (2 * h + 1)
        return 2 * (near + spare) <= h and t / (t + u) * share > float(risk)

    best = max(
        (m for m in range(1, h + 1) for s in range(h // 2 + 1) if is_excluded(m, s)), default=0
    )
    assert 0.8 * best - 2 <= window(question(1, epsilon, risk=risk), records) <= best


@pytest.mark.parametrize(("epsilon", "gap"), [("1", 1.2), ("0.1", 1.06)])
def test_the_worst_error_of_one_column_is_nearly_settled(epsilon: str, gap: float) -> None:
    found = sample_size(dimension=1, error="0.001", epsilon=epsilon, objective="max")
    assert found.impossible_below <= found.records <= gap * found.impossible_below
    assert found.bounds[0].theorem == "window"


# Formulas, computed another way


@pytest.mark.parametrize(
    ("dimension", "epsilon", "delta"),
    [(1, "0.1", "0"), (3, "1", "1e-3"), (60, "0.01", "1e-9"), (1000, "2", "1e-6")],
)
def test_packing_by_trying(dimension: int, epsilon: str, delta: str) -> None:
    def is_excluded(m: int) -> bool:
        sharp = mpf(float(sharp_delta(Fraction(epsilon), Fraction(delta), m)))
        loss = mpf(epsilon)
        closed = mpf(delta) * (mp.e ** (m * loss) - 1) / (mp.e**loss - 1)
        assert sharp <= closed * (1 + mpf("1e-9"))
        kept = mpf("0.95") - (sharp if m <= 1000 else closed)
        return bool(
            kept > 0 and (mpf(2) ** dimension - 1) * kept > mpf("0.05") * mp.e ** (m * loss)
        )

    found = packing(question(dimension, epsilon, delta), 1)
    assert found.denominator == 1 and is_excluded(int(found)) and not is_excluded(int(found) + 1)


@pytest.mark.parametrize(
    ("epsilon", "delta", "copies", "people"), [("0.5", "1e-4", 5, 40), ("0.1", "1e-5", 1, 20)]
)
def test_worst_fingerprint_is_where_its_inequality_turns(
    epsilon: str, delta: str, copies: int, people: int
) -> None:
    """Once by each of its two caps."""
    found = mpf(
        total(worst_fingerprint, Group(question(1000, epsilon, delta), copies, people), "1/2")
    )
    loss, d, n, angle = copies * mpf(epsilon), 1000, people, mpf(1) / 2
    leak, a = mpf(delta) * (mp.e**loss - 1) / (mp.e ** mpf(epsilon) - 1), tanh(angle)
    divergence = loss * tanh(loss / 2) - log(1 - leak)
    caps = [
        2 * sinh(loss / 2) * sqrt(d * a / angle) + 2 * leak * (1 + a) * d,
        sqrt(2 * d * divergence) + leak * (1 + a) * d,
    ]
    assert caps.index(min(caps)) == (copies > 1) and atanh(a) == pytest.approx(angle)

    def slack(x: mpf) -> mpf:
        left = d * (mpf("0.95") * a - x - mpf("0.05") * (1 + a) / n) / angle
        return left - n * (x + (1 + a) / n) * min(caps)

    x = found / (copies * n)
    assert x > 0 and slack(x * (1 - mpf("1e-9"))) > 0 > slack(x * (1 + mpf("1e-9")))


@pytest.mark.parametrize(
    ("dimension", "epsilon", "delta", "copies", "people"),
    [(5000, "0.25", "1e-5", 4, 30), (3, "0.1", "1e-4", 1, 6)],
)
def test_mean_fingerprint_is_where_its_inequality_turns(
    dimension: int, epsilon: str, delta: str, copies: int, people: int
) -> None:
    """Once by each of its two caps."""
    asked = question(dimension, epsilon, delta, "average")
    found = mpf(total(mean_fingerprint, Group(asked, copies, people), "2", "5"))
    loss, d, n, r, c = copies * mpf(epsilon), dimension, people, mpf(2), mpf(5)
    leak = mpf(delta) * (mp.e**loss - 1) / (mp.e ** mpf(epsilon) - 1)
    s = 2 * r * (r * (digamma((r + 1) / 2) - digamma(r / 2)) - 1)
    assert s == pytest.approx(4 * r * quad(lambda x: x**r / (1 + x) ** 2, [0, 1]))  # E(1 - P^2)

    def slack(x: mpf) -> mpf:
        u, t = sqrt(c) * x + (sqrt(s) + 1 / sqrt(c)) / n, c * x + mpf(2) / n
        assert u >= sqrt(t * x) + sqrt(s) / n  # what the proof needs of u
        caps = [
            2 * sinh(loss / 2) * sqrt(d) * u + 4 * leak * t * d,
            sqrt(2 * d * (loss * tanh(loss / 2) - log(1 - leak))) * u + 2 * leak * t * d,
        ]
        assert caps.index(min(caps)) == (copies > 1)
        return d * (s * (1 - mpf(1) / n) - 1 / c - 2 * r * x) - n * min(caps)

    x = found / (copies * n)
    assert found > 0 and slack(x * (1 - mpf("1e-9"))) > 0 > slack(x * (1 + mpf("1e-9")))


def test_spread_by_hand_and_its_law() -> None:
    group = Group(question(50, "0.1", "1e-3", "average"), 12, 1)
    t, loss, step = 12, mpf("1.2"), mpf(1) / 3
    leak = mpf("1e-3") * (mpf(math.e) ** loss - 1) / (mpf(math.e) ** mpf("0.1") - 1)
    q = mpf(math.e) ** (-2 * step)
    gain = log((2 + (t - 1) * (1 - q)) / (1 + q))
    known = (1 - leak) / step * (gain - (loss * tanh(loss / 2) - log(1 - leak)) / 50)
    assert total(spread, group, "4") == pytest.approx(float(known), rel=1e-12)
    # No guess is closer to the sums of the proof than any other.
    tilt, size = 1 / 3, 12
    scale = (1 + math.exp(-2 * tilt)) / (2 + (size - 1) * (1 - math.exp(-2 * tilt)))
    inner = scale * (1 - math.exp(-2 * tilt)) / (1 + math.exp(-2 * tilt))
    end = scale / (1 + math.exp(-2 * tilt))
    law = np.array([end, *[inner] * (size - 1), end])
    values = np.arange(-size, size + 1, 2)
    guesses = np.linspace(-size - 3, size + 3, 997)
    near = (law * np.exp(-tilt * np.abs(values - guesses[:, None]))).sum(axis=1)
    assert law.sum() == pytest.approx(1) and near.max() <= scale + 1e-12


@pytest.mark.parametrize("half", [1, 2, 7])
@pytest.mark.parametrize("epsilon", ["0.2", "3"])
def test_weights_of_one_column_meet_at_every_threshold(half: int, epsilon: str) -> None:
    loss = float(epsilon)
    sine, cosine, b = math.sinh(loss), math.cosh(loss), math.exp(-loss)
    prior = {i: sine * cosine ** (half - 1 - abs(i)) for i in range(-half, half + 1)}
    prior |= {0: 2 * sine * cosine ** (half - 1), half: 1.0, -half: 1.0}
    for i in range(1, half + 1):
        above = sum(prior[j] * b ** (j - i) for j in prior if j >= i)
        below = sum(prior[j] * b ** (i - j) for j in prior if j < i)
        assert above == pytest.approx(cosine ** (half - i)) == pytest.approx(below)
    share = 2 * sum(cosine**i for i in range(half)) / sum(prior.values())
    leak = 0.001 * math.expm1(3 * loss) / math.expm1(loss)
    assert total(one_column, Group(question(1, epsilon), 1, 2 * half + 1)) == pytest.approx(
        2 * share
    )
    third = Group(question(1, Fraction(epsilon) / 3, "0.001"), 3, 2 * half)
    leak = 0.001 * math.expm1(loss) / math.expm1(loss / 3)
    assert total(one_column, third) == pytest.approx(
        6 * (share - 2 * half * leak / math.expm1(loss))
    )


@pytest.mark.parametrize("epsilon", ["0.05", "1", "4"])
def test_one_column_leaves_nothing_to_gain(epsilon: str) -> None:
    found = barriers(question(1, epsilon, 0, "average"), 10**7)["one column"]
    attained = 2 * Fraction(DiscreteLaplace(epsilon).moment(1).upper)
    assert 0.999 * attained < found < attained
    assert float(attained) == pytest.approx(2 / math.sinh(float(epsilon)))


@pytest.mark.parametrize(("epsilon", "delta"), [("1", "0"), ("2.5", "0"), ("1", "0.05")])
def test_two_tables_squared_is_what_randomized_response_has(epsilon: str, delta: str) -> None:
    truth = 1 / (1 + math.exp(-float(epsilon)))
    answer = 2 * truth - 1
    square = (1 - float(delta)) * (truth * (1 - answer) ** 2 + (1 - truth) * (1 + answer) ** 2)
    assert total(two_tables, Group(question(1, epsilon, delta), 1, 1)) == pytest.approx(
        math.sqrt(square)
    )


@pytest.mark.parametrize(("dimension", "loss"), [(2, "0.5"), (4, "1"), (6, "3")])
def test_no_weights_know_more_of_a_corner(dimension: int, loss: str) -> None:
    """The norm of E x for half-spaces of random slope that weigh e^loss."""
    points = np.array(list(product((-1, 1), repeat=dimension)), dtype=float)
    least = total(corners, Group(question(dimension, loss), 1, 1))
    by_hand = min(sinh(mpf(loss) / 2) ** 2, 4 * log(cosh(mpf(loss) / 2)))
    assert least == pytest.approx(float(sqrt(1 - by_hand / dimension)))
    generator = np.random.default_rng(5)
    for _ in range(200):
        favoured = points @ generator.standard_normal(dimension) > generator.normal()
        chances = np.where(favoured, math.exp(float(loss)), 1.0)
        mean = chances @ points / chances.sum()
        assert 1 - mean @ mean / dimension >= least**2 - 1e-12


@pytest.mark.parametrize(("dimension", "records"), [(5, 7), (3, 4), (8, 2), (5, 100)])
def test_variances_are_the_eigenvalues_of_the_signs(dimension: int, records: int) -> None:
    signs = np.array([[1.0]])
    while 2 * len(signs) <= records and len(signs) < dimension:
        signs = np.block([[signs, signs], [signs, -signs]])
    rows = 2 * signs[:, np.arange(dimension) % len(signs)]
    values = np.linalg.eigvalsh(rows.T @ rows / len(signs))
    root = np.sqrt(np.maximum(values, 0)).sum() / math.sqrt(2 * dimension)
    assert float(variances(Fraction(2))(question(dimension, 1), records)) == pytest.approx(root)


# Golden values and behaviour


def test_every_bound_of_a_thousand_columns() -> None:
    """Gaussian noise needs 2,672 records: 0.5 % more than any unbiased answer of its zCDP."""
    found = sample_size(dimension=1000, error="0.1", epsilon=1, delta="1e-6", objective="squared")
    best = found.bounds[0]
    others = [row for row in found.bounds if row.scope != best.scope]
    assert (best.theorem, best.records) == ("spread", 93)
    assert [row.records for row in others] == [218, 2660]
    assert [row.scope for row in others] == [
        "answers without bias",
        "answers without bias, 0.02801-zCDP",
    ]
    gaussian = dict(found.options)["Gaussian"]
    assert 1 <= gaussian / 2660 < 1.006


def test_answers_without_bias_with_a_large_delta() -> None:
    """C = 4*sinh(1/2)^2 + 4*cosh(1/2)^2*delta/(1 - delta); sums have variance 4*d/C on average."""
    price = 4 * math.sinh(0.5) ** 2 + 4 * math.cosh(0.5) ** 2 * 0.25
    found = lower_bounds(dimension=8, error="0.05", epsilon=1, delta="0.2", objective="squared")
    rows = {row.scope: row.records for row in found.rows}
    assert rows["answers without bias"] == math.ceil(math.sqrt(4 * 8 / price) / 0.05)


def test_the_appendix_of_the_paper_is_weaker() -> None:
    """n > (d/800 - log 20)/epsilon for mean errors up to 0.9: appendix A of Steinke and Ullman."""
    for dimension in (10**4, 10**5):
        paper = dimension / 800 - math.log(20)
        found = lower_bounds(dimension=dimension, error="0.9", epsilon=1, objective="average")
        assert found.records > 3 * paper


@pytest.mark.parametrize("objective", ["max", "average", "squared", "l2"])
@pytest.mark.parametrize(
    ("dimension", "epsilon", "delta"),
    [(1, "1", "0"), (30, "0.1", "1e-8"), (1000, "3", "1e-5"), (10**6, "1e-3", "1e-12")],
)
def test_what_is_impossible_is_not_reached(
    objective: Objective, dimension: int, epsilon: str, delta: str
) -> None:
    error = Fraction(1, 20) * (math.isqrt(dimension) if objective == "l2" else 1)
    found = sample_size(
        dimension=dimension, error=error, epsilon=epsilon, delta=delta, objective=objective
    )
    assert 1 <= found.impossible_below <= found.records
    unbiased = [row.records for row in found.bounds if row.scope == "answers without bias"]
    assert all(each <= found.records for each in unbiased)


def test_bounds_rise_as_the_demand_does() -> None:
    def records(**asked: Any) -> int:
        base: Any = {"dimension": 200, "error": "0.1", "epsilon": "0.5", "delta": "1e-7"}
        return lower_bounds(**base | {"objective": "max"} | asked).records

    base = records()
    assert records(error="0.05") >= 2 * base - 1
    for harder in (
        {"epsilon": "0.4"},
        {"delta": "1e-9"},
        {"dimension": 300},
        {"confidence": "0.99"},
    ):
        assert records(**harder) >= base


def test_the_scale_of_the_values_changes_no_number() -> None:
    signs = lower_bounds(dimension=50, error="0.1", epsilon=1, objective="max")
    bits = lower_bounds(dimension=50, error="0.05", epsilon=1, objective="max", values=(0, 1))
    assert signs.rows == bits.rows
    assert "50 means of bits, worst error 0.05 " in repr(bits)


def test_a_group_beyond_all_privacy_says_nothing() -> None:
    """Its delta is above 1: no square root or logarithm of a negative number gets out."""
    found = barriers(question(3, "2", "0.5", "squared"), 10**6)
    assert all(0 <= each < 10 for each in found.values())
