"""Black-box audits: verdicts are right with the stated confidence, whatever the outputs look like."""

import math
from fractions import Fraction as F
from functools import cache
from math import comb
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from leastnoise.auditing.audit import audit
from leastnoise.auditing.events import learn
from leastnoise.auditing.evidence import Audit, lower_limit, measure_of, rounded
from leastnoise.auditing.outputs import View
from leastnoise.mechanisms.additive import laplace
from leastnoise.mechanisms.selection import permute_and_flip
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP

RISK = F(1, 10)


def binomial(trials: int, p: F) -> list[F]:
    return [comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)]


@pytest.mark.parametrize(("hits", "trials"), [(1, 1), (1, 30), (15, 30), (30, 30), (3, 12)])
@pytest.mark.parametrize("risk", [F(1, 2), F(1, 20), F(1, 10**7)])
def test_a_limit_is_rarely_above_and_no_lower_than_needed(hits: int, trials: int, risk: F) -> None:
    limit = lower_limit(hits, trials, risk)
    assert sum(binomial(trials, limit)[hits:]) <= risk
    assert sum(binomial(trials, limit * (1 + F(1, 10**6)))[hits:]) > risk


PROMISES = (PureDP(epsilon=0), ApproxDP(epsilon=0, delta="0.2"), GDP(mu=0), ZCDP(rho=0))


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_what_is_shown_exceeds_the_truth_no_more_often_than_the_risk(promise: Any) -> None:
    trials, measure = 8, measure_of(promise)
    level = cache(lambda one, other: measure.shown((one, other), trials, RISK))
    grid = [F(1, 20), F(1, 5), F(1, 2), F(4, 5), F(19, 20)]
    for p in grid:
        for q in grid:
            truth = measure.proved(p, q) * (1 + F(1, 10**9)) + F(1, 10**9)
            wrong = sum(a * b for i, a in enumerate(binomial(trials, p))
                        for j, b in enumerate(binomial(trials, q)) if level(i, j) > truth)  # fmt: skip
            assert wrong <= RISK
    assert level(trials, 0) > 0


def test_both_limits_share_the_risk_and_an_error_of_floats_only_weakens_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over, under = lower_limit(80, 100, RISK / 2), 1 - lower_limit(90, 100, RISK / 2)
    assert binomial_limit(80, 100, 0.05) == pytest.approx(float(over), rel=1e-6)
    for promise in PROMISES:
        measure = measure_of(promise)
        assert measure.shown((80, 10), 100, RISK) == measure.proved(over, under) > 0
    monkeypatch.setattr("scipy.special.betaincinv", lambda *_: 0.79)
    assert lower_limit(80, 100, RISK) == 0


def binomial_limit(hits: int, trials: int, risk: float) -> float:
    """Clopper and Pearson's lower limit, by another library."""
    return float(binomtest(hits, trials).proportion_ci(1 - 2 * risk, "exact").low)


def test_measures_are_those_of_two_coins() -> None:
    p, q = F(3, 4), F(1, 3)
    pure, leaky, gdp, zcdp = (measure_of(promise).proved for promise in PROMISES)
    assert float(pure(p, q)) == pytest.approx(math.log(2.25))
    assert float(leaky(p, q)) == pytest.approx(math.log(0.55 * 3))
    normal = NormalDist().inv_cdf
    assert float(gdp(p, q)) == pytest.approx(normal(0.75) - normal(1 / 3), abs=1e-9)
    orders = (1.1, 1.5, 2, 3, 4, 8, 16)
    levels = [math.log(0.75**a / 3 ** (1 - a) + 0.25**a * (2 / 3) ** (1 - a)) / (a * (a - 1)) for a in orders]  # fmt: skip
    assert float(zcdp(p, q)) == pytest.approx(max(levels))
    assert [each(q, p) for each in (pure, leaky, gdp, zcdp)] == [0, 0, 0, 0]


def coins(seed: int, odds: tuple[float, float]) -> Any:
    rng = np.random.default_rng(seed)
    return lambda x, size: rng.random(size) < odds[x]


@pytest.mark.parametrize("sequential", [False, True])
def test_false_alarms_are_as_rare_as_stated(sequential: bool) -> None:
    """Randomized response at its epsilon, 60 audits with a risk of 1/5: 12 false alarms expected at most."""
    odds = (math.e / (1 + math.e), 1 / (1 + math.e))
    alarms = sum(
        audit(coins(seed, odds), neighbours=(0, 1), epsilon=1, samples=1_000, confidence="0.8",
              vectorised=True, sequential=sequential).violated
        for seed in range(60)
    )  # fmt: skip
    assert alarms <= 20


def test_a_verdict_rests_on_the_proved_limit() -> None:
    """Near the promise the limits that choose an event say more than can be proved."""
    for seed in range(60):
        found = audit(coins(seed, (0.9, 0.2)), neighbours=(0, 1), epsilon=1, samples=120,
                      confidence="0.8", vectorised=True)  # fmt: skip
        assert found.violated == (found.found.lower > found.allowed)


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_events_are_judged_on_outputs_they_were_not_chosen_on(seed: int, sequential: bool) -> None:
    """Every output is new: what was seen under one input only is never seen again."""
    rng = np.random.default_rng(seed)
    found = audit(lambda _, size: rng.integers(2**60, size=size), neighbours=(0, 1), epsilon="0.1",
                  samples=4_000, vectorised=True, sequential=sequential)  # fmt: skip
    assert not found.violated


@pytest.mark.parametrize(
    "output", [0, 0.0, "x", None, (), {}, {"a"}, [1.5, "b"], math.nan, object()]
)
def test_a_constant_shows_nothing(output: Any) -> None:
    found = audit(lambda _: output, neighbours=(0, 1), epsilon=0, samples=400)
    assert not found.violated and found.found.lower == 0


def test_what_an_event_seems_to_show_is_not_what_its_order_was_learned_from() -> None:
    """All outputs are new, so a set of values seen under one input only looks perfect to its teacher."""
    one, other = np.random.default_rng(2).integers(2**60, size=(2, 2_000))
    worth = measure_of(PureDP(epsilon=1)).worth(F(1, 10**6))
    assert max(each.worth for each in learn((one, other), worth, 16).events) < 0.5


SHAPES: dict[str, tuple[Any, Any]] = {
    "numbers": (1, 2), "floats": (1.5, math.inf), "texts": ("no", "yes"), "nothing": (None, 1),
    "truth": (True, False), "NaN": (1.5, math.nan), "sets": ({"a"}, {"a", "b"}),
    "dicts": ({"a": 1}, {"b": 1}), "lengths": ([1, 2], [1, 2, 3]), "arrays": (np.array([1, 2]), np.array([2, 1])),
    "huge": (10**400, 10**400 + 1), "fractions": (F(1, 3), F(1, 2)), "types": (1, 1.0), "bytes": (b"a", b"b"),
    "deep": ({"a": [1, (2, "x")]}, {"a": [1, (2, "y")]}), "odd texts": ("\ud800", "\ud801"),
    "signs": (0.0, -0.0), "far": ([1e308, 1.0], [-1e308, 1.0]),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_any_two_outputs_are_told_apart(shape: str) -> None:
    outputs = SHAPES[shape]
    rng = np.random.default_rng(3)
    broken = audit(lambda x: outputs[x], neighbours=(0, 1), epsilon=1, samples=400)
    assert broken.violated and broken.where != "event: "
    fair = audit(lambda _: outputs[rng.integers(2)], neighbours=(0, 1), epsilon="0.1", samples=400)
    assert not fair.violated


@pytest.mark.parametrize("promise", [{"mu": 1}, {"rho": "0.5"}, {"epsilon": 1, "delta": "0.01"}])
@pytest.mark.parametrize("sequential", [False, True])
def test_every_promise_can_be_audited_by_samples(promise: dict[str, Any], sequential: bool) -> None:
    def noise(sigma: float) -> Any:
        rng = np.random.default_rng(5)
        return lambda x, size: np.rint(x * 16 + rng.normal(0, 16 * sigma, size))

    asked: dict[str, Any] = {"neighbours": (0, 1), "samples": 20_000, "vectorised": True}
    asked |= {"sequential": sequential, **promise}
    assert not audit(noise(2.0), **asked).violated
    broken = audit(noise(0.3), **asked)
    assert broken.violated and not broken.proved
    assert broken.measure == next(iter(promise))
    # What is shown is true: noise of deviation 0.3 is 1/0.3-GDP.
    assert "mu" not in promise or broken.found.lower <= F(10, 3)
    assert "rho" not in promise or broken.found.lower <= F(50, 9)


def test_numpys_laplace_noise_of_half_the_scale() -> None:
    """By its density it is epsilon 2; the low bits of its floats tell more (Mironov 2012)."""
    rng = np.random.default_rng(9)
    found = audit(lambda x: x + rng.laplace(0, 0.5), neighbours=(0, 1), epsilon=1, samples=100_000)
    assert found.violated and found.found.lower > 6
    text = " ".join(repr(found).split())
    start = f"violation: epsilon >= {rounded(found.found.lower)} where epsilon = 1 was promised "
    assert text.startswith(start + "(confidence 0.999999, 100,000 outputs); event: ")


def test_mechanisms_without_a_known_law_are_drawn() -> None:
    vector = laplace(sensitivity=1, epsilon=2)
    asked: dict[str, Any] = {"neighbours": ([0, 0], [0, 1]), "samples": 4_000}
    assert not audit(vector, **asked).violated
    assert audit(vector, epsilon="0.5", **asked).violated
    choices = permute_and_flip(candidates=3, epsilon=8, count=2)
    found = audit(choices, epsilon=1, neighbours=([0, 1, 2], [2, 1, 0]), samples=1_000)
    assert found.violated and found.samples == 1_000


def test_columns_look_at_one_output_at_a_time() -> None:
    outputs = [3, {"a": 1.5, "b": [2, "x"]}, None, {"a": math.nan}, "text", {"a": 2}, (1,), {"b"}]
    view = View.of(outputs, outputs[::-1])
    together = view.columns(outputs)
    for place, output in enumerate(outputs):
        alone = view.columns([output])
        for name in together.numbers:
            assert np.array_equal(
                together.number(name)[place], alone.number(name)[0], equal_nan=True
            )
        for name in together.codes:
            assert together.code(name)[place] == alone.code(name)[0]


def test_the_place_of_an_object_in_memory_is_no_output() -> None:
    outputs = [object(), object(), [object()]]
    one, other, third = View.of(outputs).columns(outputs).code("value of output")
    assert one == other != third


def test_the_lowest_bit_of_a_float() -> None:
    values = [1.0, 0.75, -3.0, 2.0**-60, 0.1, 0.0, 2.0**70, 5e-324]
    found = View(("output",)).columns(values).number("lowest bit of output")
    assert found.tolist() == [0, -2, 0, -60, -55, 2000, 70, -1074]


def test_what_is_printed_stays_true() -> None:
    third = F(1, 3)
    assert (rounded(third), rounded(third, up=True)) == ("0.3333", "0.3334")
    assert rounded(math.inf) == "infinity"
    found = Audit(PureDP(epsilon=third), True, False, "epsilon", "", Interval(third, math.inf), F(1, 4),
                  "confidence 0.9, 40 outputs", "event: " + "x " * 300, 40)  # fmt: skip
    text = " ".join(repr(found).split())
    assert text.startswith(
        "violation: epsilon >= 0.3333 where epsilon = 0.25 was promised (confidence 0.9, 40"
    )
    assert text.endswith("...") and len(text) < 400


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"epsilon": math.nan}, "finite"),
        ({"epsilon": -1}, "0 or more"),
        ({"epsilon": None}, "Give one promise"),
        ({"mu": 1}, "Give one promise"),
        ({"epsilon": None, "rho": 1, "delta": "0.1"}, "Give one promise"),
        ({"delta": 2}, "from 0 to 1"),
        ({"confidence": 1}, "between 0 and 1"),
        ({"samples": 39}, "from 40 on"),
        ({"neighbours": None}, "neighbours is missing"),
        ({"sensitivity": 1}, "sensitivity is for noise alone"),
        ({"neighbours": (1,)}, "no pair"),
        ({"neighbours": "ab"}, "no pair"),
        ({"mechanism": 3}, "the type int cannot be audited"),
        ({"mechanism": lambda x: 1 / 0}, "always raises ZeroDivisionError"),
        ({"mechanism": lambda x, size: [x], "vectorised": True}, "With size=200"),
        ({"mechanism": lambda x, size: x, "vectorised": True}, "With size=200"),
    ],
)
def test_a_mistake_gets_a_sentence(wrong: dict[str, Any], sentence: str) -> None:
    asked: dict[str, Any] = {
        "mechanism": lambda x: x,
        "neighbours": (0, 1),
        "epsilon": 1,
        "samples": 400,
    }
    asked |= wrong
    with pytest.raises(InvalidInput, match=sentence):
        audit(asked.pop("mechanism"), **asked)
