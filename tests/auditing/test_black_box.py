"""Audits from outside: every kind of leak is found, and sound mechanisms are left in peace."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from leastnoise.auditing import Audit, audit
from leastnoise.auditing.judged_event import lower_end, upper_end
from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import AdditiveNoise, NameAndShame, RandomizedResponse
from leastnoise.noise import Canonical, DiscreteLaplace, NormLaplace
from leastnoise.privacy.guarantee import PureDP
from tests.attacks.seeded import SeededSource
from tests.lasting_id import lasting_id

FEW = 4_000


def generator(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def raises_on_large(data: int, coins: np.random.Generator) -> int:
    if data > 3:
        raise ValueError("too large")
    return int(coins.integers(9))


def is_rare(data: int, coins: np.random.Generator) -> float:
    return math.nan if data > 3 and coins.random() < 0.2 else 0.5


def changes_type(data: int, coins: np.random.Generator) -> object:
    found = int(coins.integers(9))
    return found if data > 3 else float(found)


def has_a_key(data: int, coins: np.random.Generator) -> object:
    noise = int(coins.integers(9))
    return {"a": noise, "b": noise} if data > 3 else {"a": noise}


def has_a_length(data: int, coins: np.random.Generator) -> object:
    return [int(coins.integers(9)) for _ in range(data)]


def says_a_word(data: int, coins: np.random.Generator) -> str:
    return ("yes", "no", "maybe")[int(coins.integers(2 if data > 3 else 3))]


def shares_noise(data: int, coins: np.random.Generator) -> object:
    noise = coins.laplace(scale=50)
    return (data + noise, noise)


def is_none(data: int, coins: np.random.Generator) -> object:
    return None if data > 3 and coins.random() < 0.5 else 1


def is_a_member(data: int, coins: np.random.Generator) -> object:
    return {"x", "y"} if data > 3 and coins.random() < 0.5 else {"x"}


def negative_zero(data: int, coins: np.random.Generator) -> float:
    return -0.0 if data > 3 and coins.random() < 0.5 else 0.0


def differs_in_a_bit(data: int, coins: np.random.Generator) -> object:
    """Each number is a coin toss; whether their last bits agree is not."""
    one = int(coins.integers(1 << 20))
    return [one, int(coins.integers(1 << 19)) << 1 | (one & 1) ^ (data > 3)]


def has_a_bit_of_a_float(data: int, coins: np.random.Generator) -> float:
    found = np.array([coins.random()]).view(np.int64)
    found[0] = found[0] & ~(1 << 11) | (data > 3) << 11
    return float(found.view(np.float64)[0])


def has_an_order(data: int, coins: np.random.Generator) -> object:
    pairs = [("a", int(coins.integers(9))), ("b", int(coins.integers(9)))]
    return dict(pairs if data > 3 else pairs[::-1])


def has_a_byte(data: int, coins: np.random.Generator) -> bytes:
    return coins.bytes(7) + bytes([int(coins.integers(128)) << 1 | (data > 3)]) + coins.bytes(8)


def differs_in_a_high_bit(data: int, coins: np.random.Generator) -> object:
    one = int(coins.integers(1 << 40))
    return [one, int(coins.integers(1 << 40)) & ~(1 << 33) | (one & 1 << 33) ^ (data > 3) << 33]


def floats_agree_in_a_bit(data: int, coins: np.random.Generator) -> object:
    pair = coins.random(2)
    words = pair.view(np.int64)
    words[1] = words[1] & ~(1 << 20) | (words[0] & 1 << 20) ^ (data > 3) << 20
    return pair.tolist()


def differs_in_a_bit_of_three(data: int, coins: np.random.Generator) -> object:
    """Any two of the numbers are independent of the data."""
    one, two, three = (int(coins.integers(1 << 20)) for _ in range(3))
    return [one, two, three & ~1 | (one ^ two) & 1 ^ (data > 3)]


def has_a_high_bit_of_a_float(data: int, coins: np.random.Generator) -> float:
    found = coins.random(1).view(np.int64)
    found[0] = found[0] & ~(1 << 40) | (data > 3) << 40
    return float(found.view(np.float64)[0])


def has_two_keys_in_order(data: int, coins: np.random.Generator) -> object:
    """Eight keys in any order, but for two of them."""
    keys = [f"k{place}" for place in range(8)]
    coins.shuffle(keys)
    one, other = keys.index("k0"), keys.index("k1")
    if data > 3 and one > other:
        keys[one], keys[other] = keys[other], keys[one]
    return {key: int(coins.integers(9)) for key in keys}


def has_a_bit_far_inside(data: int, coins: np.random.Generator) -> bytes:
    found = bytearray(coins.bytes(200))
    found[150] = found[150] & ~4 | (data > 3) << 2
    return bytes(found)


def has_two_bytes_that_agree(data: int, coins: np.random.Generator) -> bytes:
    found = bytearray(coins.bytes(16))
    found[11] = found[11] & ~1 | (found[9] & 1) ^ (data > 3)
    return bytes(found)


def has_a_letter(data: int, coins: np.random.Generator) -> str:
    return f"{coins.bytes(6).hex()}{'x' if data > 3 else 'y'}{coins.bytes(6).hex()}"


def has_a_last_digit(data: int, coins: np.random.Generator) -> str:
    return str(2 * int(coins.integers(10**12)) + (data > 3))


LEAKS = [
    differs_in_a_high_bit,
    floats_agree_in_a_bit,
    differs_in_a_bit_of_three,
    has_a_high_bit_of_a_float,
    has_two_keys_in_order,
    has_a_bit_far_inside,
    has_two_bytes_that_agree,
    has_a_letter,
    has_a_last_digit,
    differs_in_a_bit,
    has_a_bit_of_a_float,
    has_an_order,
    has_a_byte,
    raises_on_large,
    is_rare,
    changes_type,
    has_a_key,
    has_a_length,
    says_a_word,
    shares_noise,
    is_none,
    is_a_member,
    negative_zero,
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: str(leak.__name__))
def test_a_leak_of_every_kind_is_found(leak: Any) -> None:
    coins = generator()
    found = audit(lambda data: leak(data, coins), neighbours=(3, 4), epsilon="0.5", samples=FEW)
    assert found.violated, str(found)
    assert not found
    assert str(found).startswith("violation found: ε ≥ ")


@pytest.mark.spread(8)
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: str(leak.__name__))
def test_without_a_difference_no_leak_is_found(leak: Any) -> None:
    coins = generator()
    quiet = audit(lambda data: leak(data, coins), neighbours=(4, 4), epsilon="0.5", samples=FEW)
    assert not quiet.violated
    assert quiet.epsilon_lower <= Fraction(1, 2)


@pytest.mark.parametrize("pure", [False, True])
def test_gaussian_noise_that_is_called_pure_is_found(pure: bool) -> None:
    """Of one standard deviation: the tails are too thin, and only many outputs show it."""
    coins = generator()

    def noisy(data: int, size: int) -> Any:
        noise = coins.laplace(0, 1000, size) if pure else coins.normal(0, 1414, size)
        return data + np.rint(noise).astype(np.int64)

    found = audit(noisy, neighbours=(0, 1000), epsilon=1, samples=80_000, vectorised=True)
    assert found.violated is not pure


def test_floating_point_laplace_is_betrayed_by_its_lowest_bits() -> None:
    coins = generator()
    found = audit(
        lambda data, size: data + coins.laplace(size=size),
        neighbours=(0.0, 1.0),
        epsilon=1,
        samples=FEW,
        vectorised=True,
    )
    assert found.violated
    assert any(event.words.startswith("lowest bit") for event in found.tested)


def test_delta_of_name_and_shame() -> None:
    """Each record is published with probability δ: exactly δ is allowed, a third of it is not."""
    mechanism = NameAndShame(delta="0.3")
    data = ([1, 2, 3], [1, 2, 4])
    kept = audit(mechanism, neighbours=data, epsilon=1, delta="0.3", samples=FEW)
    found = audit(mechanism, neighbours=data, epsilon=1, delta="0.1", samples=FEW)
    assert found.violated
    assert not kept.violated


def laplace(percent: int, samples: int, seed: int) -> Audit:
    """A law with that much of the noise it needs, as fine as a real one, drawn repeatably."""
    return audit(
        DiscreteLaplace(scale=10 * percent),
        neighbours=(0, 1000),
        epsilon=1,
        samples=samples,
        source=SeededSource(seed),
    )


@pytest.mark.parametrize("seed", range(3))
def test_ten_percent_too_little_noise_is_found(seed: int) -> None:
    found = laplace(90, 200_000, seed)
    assert found.violated
    assert 1 < found.epsilon_lower < Fraction(1112, 1000)


@pytest.mark.parametrize("seed", range(3))
def test_enough_noise_is_left_in_peace(seed: int) -> None:
    for percent in (100, 110):
        quiet = laplace(percent, 200_000, seed)
        assert not quiet.violated
        assert quiet.power is not None
        assert 1 < quiet.power.epsilon < 1.2


def test_the_power_that_is_stated_is_there() -> None:
    """At the size it states, the audit of an event with known chances must mostly succeed."""

    def response(odds: float) -> Any:
        coins = generator(5)
        return lambda data, size: np.less(coins.random(size), odds if data else 0.5)

    quiet = audit(
        response(0.5 * math.exp(-0.5)),
        neighbours=(0, 1), epsilon="0.5", samples=20_000, vectorised=True,
    )  # fmt: skip
    assert quiet.power is not None
    broken = response(0.5 * math.exp(-1.02 * quiet.power.epsilon))
    found = [
        audit(broken, neighbours=(0, 1), epsilon="0.5", samples=20_000, vectorised=True).violated
        for _ in range(20)
    ]
    assert sum(found) >= 14  # fewer has probability below 1e-4 at 0.95


def test_events_are_tested_on_outputs_they_were_not_chosen_on() -> None:
    """Every output is new: what was seen under one input only is never seen again."""
    coins = generator(9)
    found = audit(
        lambda _, size: coins.integers(2**60, size=size),
        neighbours=(0, 1),
        epsilon="0.1",
        samples=4_000,
        vectorised=True,
    )
    assert not found.violated


def test_the_risk_is_shared_by_all_bounds() -> None:
    found = audit(DiscreteLaplace(scale=1), neighbours=(0, 1), epsilon=1, samples=4_000)
    share = Fraction(1, 10**6) / (2 * len(found.tested))
    assert len(found.tested) > 3
    for event in found.tested:
        assert event.trials == 1_000
        assert event.chance == lower_end(event.hits[0], event.trials, share)
        assert event.other_chance == upper_end(event.hits[1], event.trials, share)


def test_too_few_samples_are_said_to_be_too_few() -> None:
    quiet = audit(lambda data: data, neighbours=(0, 1), epsilon=8, samples=40)
    assert not quiet.violated
    assert "too few samples to see any violation" in str(quiet)


@pytest.mark.parametrize("constant", [0, 0.0, "x", None, (), {}])
def test_a_constant_leaks_nothing(constant: object) -> None:
    quiet = audit(lambda _: constant, neighbours=(0, 1), epsilon=0, samples=400)
    assert not quiet.violated
    assert quiet.epsilon_lower == 0
    assert str(quiet).startswith("no violation found up to ε = 0")


def test_private_is_never_said() -> None:
    assert "private" not in str(laplace(100, 4_000, 1))


def test_mechanisms_and_laws_of_the_library() -> None:
    promise = PureDP(epsilon=1)
    noise = AdditiveNoise(DiscreteLaplace(scale=1), sensitivity=1, guarantee=promise)
    for mechanism, data in (
        (noise, (0, 1)),
        (Canonical(epsilon=1, delta=0), (5, 6)),
        (NormLaplace(norm="l1", dimension=3, scale=1), ([0, 0, 0], [0, 1, 0])),
        (RandomizedResponse(epsilon=1, categories=3), (0, 2)),
    ):
        assert not audit(mechanism, neighbours=data, epsilon=1, samples=FEW).violated
        assert audit(mechanism, neighbours=data, epsilon="0.3", samples=2 * FEW).violated


def test_evidence_has_a_row_for_every_event() -> None:
    found = laplace(50, FEW, 1)
    evidence = found.evidence()
    rows = len(found.tested)
    for name in ("event", "likely", "trials", "hits", "other_hits", "chance", "allowed"):
        assert evidence[name].shape == (rows,)
    assert found.event == evidence["event"][0]
    assert evidence["chance"][0] > evidence["allowed"][0]
    assert evidence["samples"].size == 0


def test_progress_ends_where_it_should() -> None:
    seen: list[tuple[int, int]] = []
    audit(
        lambda data: data, neighbours=(0, 0), epsilon=1, samples=100_000,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen[-1] == (100_000, 100_000)
    assert sorted(seen) == seen


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": math.nan},
        {"epsilon": -1},
        {"delta": 1},
        {"confidence": 1},
        {"confidence": 0},
        {"samples": 3},
        {"progress": "loud"},
        {"source": 3, "mechanism": DiscreteLaplace(scale=1)},
        {"mechanism": 3},
        {"mechanism": lambda data, **_: [data], "vectorised": True},
        {"mechanism": lambda _: 1 / 0, "vectorised": True},
        {"neighbours": (1,)},
        {"neighbours": 3},
    ],
    ids=lasting_id,
)
def test_bad_arguments_are_refused(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {
        "mechanism": lambda data: data,
        "neighbours": (0, 1),
        "epsilon": 1,
        "samples": 400,
    }
    arguments = right | wrong
    with pytest.raises(InvalidParameter):
        audit(arguments.pop("mechanism"), **arguments)
