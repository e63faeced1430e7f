"""Exact audits: what is found is what enumeration gives, and equality is decided."""

from fractions import Fraction as F
from itertools import permutations, product
from math import exp, inf
from typing import Any

import pytest

from leastnoise.auditing.audit import audit
from leastnoise.auditing.exact import small_inputs, weights_of
from leastnoise.mechanisms.additive import gaussian, laplace
from leastnoise.mechanisms.response import randomized_response
from leastnoise.mechanisms.selection import exponential_mechanism, permute_and_flip
from leastnoise.noise import DiscreteLaplace, Normal, NormStaircase, RoundedGaussian, TableLaw
from leastnoise.numbers.errors import InvalidInput
from leastnoise.optima import optimal
from leastnoise.privacy.loss import PrivacyLoss

TINY = F(1, 10**30)


@pytest.mark.parametrize(
    ("mechanism", "asked"),
    [
        (DiscreteLaplace(F(1, 3)), {"sensitivity": 3}),
        (randomized_response(epsilon=1, categories=5), {}),
        (permute_and_flip(candidates=2, epsilon=1), {}),
        (permute_and_flip(candidates=3, epsilon=1, sensitivity=2, monotone=True), {}),
        (laplace(sensitivity=2, epsilon=1, step="0.5"), {"neighbours": (1, 2)}),
        (optimal(sensitivity=3, epsilon=1), {}),
    ],
    ids=repr,
)
def test_a_promise_that_holds_with_equality_is_proved_and_a_smaller_one_refuted(
    mechanism: Any, asked: dict[str, Any]
) -> None:
    kept = audit(mechanism, epsilon=1, **asked)
    assert kept.proved and not kept.violated and kept.found.upper == 0
    broken = audit(mechanism, epsilon=1 - TINY, **asked)
    assert broken.proved and broken.violated and 0 < broken.found.lower < TINY


def test_neighbours_are_values_and_not_steps() -> None:
    found = audit(laplace(sensitivity=5, epsilon=1, step="0.5"), epsilon="0.9")
    assert found.where == "neighbours: 0 and 5/2"


def leak(one: dict[int, F], other: dict[int, F], epsilon: float) -> float:
    return sum(max(0.0, p - exp(epsilon) * other.get(y, F(0))) for y, p in one.items())


@pytest.mark.parametrize("epsilon", [0, 0.3, 1])
@pytest.mark.parametrize(
    "weights", [{0: 5, 1: 2, 2: 1}, {-1: 1, 0: 2, 3: 4}, {0: 1, 2: 1}, {0: 8, 1: 4, 2: 2, 3: 3}]
)
def test_noise_is_moved_by_every_shift_both_ways(weights: dict[int, int], epsilon: float) -> None:
    total = sum(weights.values())
    law = {k: F(w, total) for k, w in weights.items()}
    moved = [{k + s: p for k, p in law.items()} for s in (-2, -1, 1, 2)]
    most = max(leak(law, other, epsilon) for other in moved)
    found = audit(TableLaw(law), epsilon=epsilon, sensitivity=2).found
    assert float(found) == pytest.approx(most, abs=1e-15)
    single = audit(TableLaw(law), epsilon=epsilon, neighbours=(7, 8)).found
    assert float(single) == pytest.approx(
        max(leak(law, other, epsilon) for other in moved[1:3]), abs=1e-15
    )


def test_a_pair_of_weights_is_compared_in_both_orders() -> None:
    one, other = {"a": 1}, {"a": 99, "b": 1}
    assert audit((one, other), epsilon=1).found == audit((other, one), epsilon=1).found
    assert audit((one, other), epsilon=1, delta="0.01").proved
    assert audit((one, other), epsilon=1, delta="0.0099").violated
    assert audit((one, other), rho=5).found.upper == inf


def test_permute_and_flip_has_the_law_of_its_definition() -> None:
    mechanism, utilities = permute_and_flip(candidates=3, epsilon=2), (4, 3, 1)
    heads = [exp(-float(mechanism.rate) * (4 - u)) for u in utilities]
    chances = [0.0, 0.0, 0.0]
    for order in permutations(range(3)):  # the first that shows heads, in random order
        left = 1 / 6
        for i in order:
            chances[i] += left * heads[i]
            left *= 1 - heads[i]
    weights = weights_of(mechanism, utilities)
    assert [float(weights[i].ball().mid()) for i in range(3)] == pytest.approx(chances, rel=1e-12)


def test_what_lies_within_the_bracket_is_undecided() -> None:
    law = RoundedGaussian(1)
    known = audit(law, epsilon=1, delta="0.5", sensitivity=1).found
    inside = (F(known.lower) + F(known.upper)) / 2
    assert known.lower < inside < known.upper
    found = audit(law, epsilon=1, delta=inside, sensitivity=1)
    assert not found.violated and not found.proved and "(undecided)" in repr(found)


def test_a_pair_of_inputs_is_compared_in_both_orders() -> None:
    mechanism = exponential_mechanism(candidates=3, epsilon=2)
    one, other = [0, 0, 0], [0, 0, 1]
    found = audit(mechanism, epsilon="0.1", neighbours=(one, other)).found
    assert found == audit(mechanism, epsilon="0.1", neighbours=(other, one)).found
    rise = exp(1)
    laws = [{0: 1 / 3, 1: 1 / 3, 2: 1 / 3}, {0: 1 / (2 + rise), 1: 1 / (2 + rise), 2: rise / (2 + rise)}]  # fmt: skip
    there, back = (sum(max(0, a[i] - exp(0.1) * b[i]) for i in range(3)) for a, b in (laws, laws[::-1]))  # fmt: skip
    assert there < back == pytest.approx(float(found))


def test_the_small_inputs_of_a_selection_are_neighbours() -> None:
    free = exponential_mechanism(candidates=2, epsilon=1, sensitivity=3)
    pairs = list(small_inputs(free))
    moves = {(b[0] - a[0], b[1] - a[1]) for a, b in pairs}
    assert moves == {*product((-3, 0, 3), repeat=2)} - {(0, 0)}
    rising = exponential_mechanism(candidates=2, epsilon=1, monotone=True)
    assert all(x <= y for a, b in small_inputs(rising) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("subject", [RoundedGaussian(4), (Normal(0, 1), Normal("0.5", 1)),
                                     PrivacyLoss.gaussian(mu="0.5"), gaussian(sensitivity=1, mu="0.5")])  # fmt: skip
def test_promises_of_mu_and_rho_are_held_against_points(subject: Any) -> None:
    size = 1 if isinstance(subject, RoundedGaussian) else None
    for mu, rho in (("0.5001", None), (None, "0.12501")):
        found = audit(subject, sensitivity=size, mu=mu, rho=rho)
        assert not found.violated and not found.proved
        assert " points" in repr(found) and repr(found).startswith("no violation found:")
    for mu, rho in (("0.45", None), (None, "0.11")):
        found = audit(subject, sensitivity=size, mu=mu, rho=rho)
        assert found.violated and found.proved and found.found.lower > found.allowed


@pytest.mark.parametrize("mu", ["1e-4", "1e-30"])
def test_a_tiny_promise_is_refuted_at_once(mu: str) -> None:
    """Its deltas are fractions of more digits than memory has; 80 deviations out a bound will do."""
    assert audit(RoundedGaussian(1), mu=mu, sensitivity=1).violated


def test_vectors_are_moved_by_the_worst_of_their_length() -> None:
    law, epsilon, edge = NormStaircase(2, 3, 1, 1, "l1"), 0.9, range(-24, 25)
    assert audit(law, epsilon=1, sensitivity=3).proved
    weights = {x: float(law.pmf(x)) for x in product(edge, repeat=2)}

    def moved(a: int, b: int) -> float:
        other = ((x, weights.get((x[0] - a, x[1] - b), 0.0)) for x in weights)
        return sum(max(0.0, weights[x] - exp(epsilon) * q) for x, q in other)

    found = audit(law, epsilon=epsilon, sensitivity=4)
    assert found.violated and not found.where
    shifts = [(a, 4 - a) for a in range(5)]
    assert float(found.found) == pytest.approx(max(moved(*each) for each in shifts), abs=1e-3)
    assert moved(2, 2) < float(found.found) / 1.5  # so the length alone does not accuse a pair


@pytest.mark.parametrize(
    ("subject", "asked", "sentence"),
    [
        (DiscreteLaplace(1), {}, "sensitivity is missing"),
        (DiscreteLaplace(1), {"sensitivity": 0}, "from 1 on"),
        (DiscreteLaplace(1), {"neighbours": (0, 0.5)}, "whole numbers"),
        (DiscreteLaplace(1), {"neighbours": ([0, 0], [1, 0])}, "by samples"),
        (DiscreteLaplace(1), {"neighbours": (0, [1, 2])}, "by samples"),
        (NormStaircase(2, 3, 1, 1), {"neighbours": ([0, 0], [2, 2])}, "Give sensitivity= instead"),
        (TableLaw({0: 1, 5: 1}), {"sensitivity": 10**6}, "Divide query and noise"),
        (randomized_response(epsilon=1), {"neighbours": (0, 2)}, "0 .. 1"),
        (permute_and_flip(candidates=2, epsilon=1), {"neighbours": ([1], [2])}, "2 utilities"),
        (({0: 1},), {}, "Give a pair"),
        (({0: 1}, DiscreteLaplace(1)), {}, "different kinds"),
        (({0: 1}, {0: 2}), {"neighbours": (0, 1)}, "Leave neighbours and sensitivity out"),
        (PrivacyLoss.gaussian(mu=1), {"sensitivity": 2}, "Leave neighbours and sensitivity out"),
        (randomized_response(epsilon=1), {"neighbours": ([0], 1)}, "0 .. 1"),
        (
            permute_and_flip(candidates=2, epsilon=1),
            {"neighbours": ("ab", [1, 2])},
            "whole numbers",
        ),
    ],
)
def test_a_mistake_gets_a_sentence(subject: Any, asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        audit(subject, epsilon=1, **asked)
