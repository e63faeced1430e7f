"""Vectors with noise: rounding, shapes, secrets, prices."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.adding.additive_vector_noise import AdditiveVectorNoise, vector_steps
from leastnoise.mechanisms.adding.lattice import Lattice
from leastnoise.noise import (
    Canonical,
    DiscreteLaplace,
    Independent,
    NormLaplace,
    NormStaircase,
    TruncatedNormStaircase,
    Uniform,
    VectorLaw,
)
from leastnoise.noise.vectors.norm import Norm
from leastnoise.privacy.guarantee import ApproxDP, PureDP
from tests.scripted import NoEntropy

NORMS: tuple[Norm, ...] = ("l1", "linf")
SILENT = 4096  # at this epsilon all draws are 0


def silent(
    dimension: int = 3, steps: int = 1, norm: Norm = "linf", **more: Any
) -> AdditiveVectorNoise:
    """A mechanism whose noise is 0, to see what happens to values."""
    law = NormStaircase(dimension=dimension, sensitivity=steps, epsilon=SILENT, width=1, norm=norm)
    return AdditiveVectorNoise(
        law, **{"sensitivity": 1, "guarantee": PureDP(epsilon=SILENT), **more}
    )


def whole() -> AdditiveVectorNoise:
    law = NormStaircase(dimension=3, sensitivity=2, epsilon=1, width=1, norm="l1")
    return AdditiveVectorNoise(law, sensitivity=2, guarantee=PureDP(epsilon=1))


# The integer sensitivity.


def place(lattice: Lattice, x: Fraction) -> int:
    return int(lattice.places(np.array([x], dtype=object))[0])


@pytest.mark.spread(4)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("ratio", [Fraction(1, 3), Fraction(1), Fraction(7, 4), Fraction(3)])
def test_integer_sensitivity_is_attained(norm: Norm, ratio: Fraction) -> None:
    """Over all pairs of a fine grid the bound holds, and some pair meets it."""
    d, fine, step = 2, 12, Fraction(1, 2)
    lattice, delta = Lattice(step), ratio * step
    ticks = [Fraction(n, fine) * step for n in range(int(ratio * fine) + 1)]
    worst = 0
    for moves in product(ticks, repeat=d):
        if (sum(moves) if norm == "l1" else max(moves)) > delta:
            continue
        starts = [Fraction(n, fine) * step for n in range(fine)]
        jumps = [
            max(place(lattice, x + move) - place(lattice, x) for x in starts) for move in moves
        ]
        worst = max(worst, sum(jumps) if norm == "l1" else max(jumps))
    assert worst == vector_steps(delta, step, d, norm)
    assert worst == ceil(ratio) + (1 if norm == "l1" else 0)


@given(
    data=st.data(),
    d=st.integers(1, 5),
    norm=st.sampled_from(NORMS),
    step=st.sampled_from([Fraction(1, 4), Fraction(1, 3), Fraction(3, 2)]),
)
@settings(deadline=None)
def test_no_pair_exceeds_the_integer_sensitivity(
    data: st.DataObject, d: int, norm: Norm, step: Fraction
) -> None:
    numbers = st.fractions(-20, 20, max_denominator=24)
    x = data.draw(st.lists(numbers, min_size=d, max_size=d))
    y = data.draw(st.lists(numbers, min_size=d, max_size=d))
    apart = [abs(a - b) for a, b in zip(x, y, strict=True)]
    delta = sum(apart, Fraction(0)) if norm == "l1" else max(apart)
    places = [np.array([place(Lattice(step), a) for a in v]) for v in (x, y)]
    moved = np.abs(places[0] - places[1])
    found = int(moved.sum() if norm == "l1" else moved.max())
    if delta:
        assert found <= vector_steps(delta, step, d, norm)
    else:
        assert found == 0


def test_whole_numbers_differ_by_whole_numbers() -> None:
    assert vector_steps(Fraction(5, 2), Fraction(1), 9, "l1") == 2
    with pytest.raises(InvalidParameter, match="at least 1 for whole numbers"):
        vector_steps(Fraction(1, 2), Fraction(1), 9, "l1")


def test_the_law_must_cover_what_rounding_adds() -> None:
    """A law for ⌈Δ/g⌉ steps is not enough in ℓ1."""
    promise = PureDP(epsilon=1)
    for steps, good in ((4, False), (5, False), (6, True), (7, True)):
        law = NormStaircase(dimension=3, sensitivity=steps, epsilon=1, width=1, norm="l1")
        if good:
            made = AdditiveVectorNoise(law, sensitivity=1, guarantee=promise, granularity="1/4")
            assert made.steps == 6
        else:
            with pytest.raises(InvalidParameter, match="must keep the guarantee"):
                AdditiveVectorNoise(law, sensitivity=1, guarantee=promise, granularity="1/4")
    law = NormStaircase(dimension=3, sensitivity=4, epsilon=1, width=1, norm="linf")
    made = AdditiveVectorNoise(law, sensitivity=1, guarantee=promise, granularity="1/4")
    assert made.steps == 4


# Releases.


def test_values_go_to_the_nearest_step() -> None:
    mechanism = silent(steps=4, granularity="0.25")
    assert mechanism.release([0.3, -0.13, 7.0]).value.tolist() == [0.25, -0.25, 7.0]
    exact: Any = [Fraction(1, 3), Decimal("0.125"), 2]
    assert mechanism.release(exact).value.tolist() == [0.25, 0.25, 2.0]


def test_whole_numbers_stay_whole() -> None:
    released = silent().release([3, -4, 2**61]).value
    assert released.dtype == np.int64
    assert released.tolist() == [3, -4, 2**61]
    assert silent().release(np.array([3, 4, 5], dtype=np.uint8)).value.tolist() == [3, 4, 5]
    assert silent().release(np.array([3, 4, 5], dtype=object)).value.tolist() == [3, 4, 5]


@pytest.mark.parametrize("shape", [(3,), (1, 3), (0, 3), (2, 5, 3)])
def test_rows_are_vectors_of_their_own(shape: tuple[int, ...]) -> None:
    released = whole().release(np.zeros(shape, dtype=int))
    assert released.value.shape == shape
    assert released.guarantee == PureDP(epsilon=1)
    assert not released.value.flags.writeable


def test_rows_get_independent_noise() -> None:
    rows = whole().release(np.zeros((400, 3), dtype=int)).value
    assert len({tuple(row) for row in rows.tolist()}) > 100


def test_sums_beyond_64_bits_do_not_wrap() -> None:
    law = NormStaircase(dimension=2, sensitivity=2**62, epsilon="0.01", width=9, norm="linf")
    mechanism = AdditiveVectorNoise(law, sensitivity=2**62, guarantee=PureDP(epsilon="0.01"))
    drawn = mechanism.release(np.full((8, 2), 2**61)).value
    assert drawn.dtype == np.object_
    assert all(type(value) is int for value in drawn.ravel().tolist())
    assert max(map(abs, drawn.ravel().tolist())) > 2**63


BAD: list[Any] = [
    [1, 2],
    [1, 2, 3, 4],
    7,
    [],
    [[1, 2, 3], [4, 5]],
    [1.0, 2.0, 3.0],
    [1, 2, 3.5],
    [1, 2, float("nan")],
    [True, False, True],
    ["1", "2", "3"],
    [1, 2, None],
    [1, 2, 2**62],
    [1, 2, 2**70],
    [1, 2, Fraction(1, 2)],
    None,
    np.ma.masked_array([1, 2, 3], mask=[False, True, False]),
    np.array([1 + 2j, 3, 4]),
]


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_bad_values_are_refused_before_entropy_is_drawn(value: Any) -> None:
    with pytest.raises(InvalidParameter, match="`value` must"):
        whole().release(value, source=NoEntropy())


@pytest.mark.parametrize("secret", [918273, 918273.5, 91827364554637281])
@pytest.mark.parametrize("shape", ["bad entry", "bad shape"])
@pytest.mark.parametrize("granularity", ["1", "1/4"])
def test_errors_never_show_data(secret: float, shape: str, granularity: str) -> None:
    mechanism = silent(steps=1 if granularity == "1" else 4, granularity=granularity)
    value: Any = [secret, 2, "x"] if shape == "bad entry" else [secret] * 4
    with pytest.raises(InvalidParameter) as caught:
        mechanism.release(value)
    chain, seen = caught.value, ""
    while chain is not None:
        seen += str(chain) + repr(chain.args)
        chain = chain.__cause__ if chain.__cause__ else None  # type: ignore[assignment]
    assert "91827" not in seen
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


# Prices and errors.


def mechanisms() -> list[AdditiveVectorNoise]:
    laws: list[tuple[VectorLaw, PureDP | ApproxDP, int]] = [
        (NormLaplace(3, 2, "l1"), PureDP(epsilon=1), 2),
        (NormStaircase(dimension=2, sensitivity=3, epsilon=2, width=1, norm="linf"),
         PureDP(epsilon=2), 3),
        (Independent(Canonical(epsilon=1, delta="0.01"), 4), ApproxDP(epsilon=1, delta="0.01"), 1),
        (Independent(Uniform(sensitivity=2, delta="0.1"), 2), ApproxDP(epsilon=0, delta="0.1"), 2),
        (TruncatedNormStaircase(
            dimension=2, sensitivity=3, epsilon=2, width=1, radius=20, norm="l1"
        ), ApproxDP(epsilon=2, delta="0.001"), 3),
        (TruncatedNormStaircase(
            dimension=2, sensitivity=3, epsilon=2, width=1, radius=20, norm="l1", edge="1/2"
        ), ApproxDP(epsilon=2, delta="0.001"), 3),
    ]  # fmt: skip
    return [AdditiveVectorNoise(law, sensitivity=s, guarantee=g) for law, g, s in laws]


@pytest.mark.parametrize("mechanism", mechanisms(), ids=repr)
def test_price_keeps_the_promise(mechanism: AdditiveVectorNoise) -> None:
    assert isinstance(mechanism, Mechanism)
    epsilon = mechanism.guarantee.epsilon
    delta = getattr(mechanism.guarantee, "delta", Fraction(0))
    assert mechanism.privacy().delta(epsilon).lower <= delta
    assert mechanism.verification.holds
    # A larger group costs more, and at most what every mechanism with this promise costs.
    two = mechanism.privacy(2).delta(2 * epsilon)
    assert two.upper >= mechanism.privacy().delta(2 * epsilon).lower
    factor = 1 + np.exp(float(epsilon))
    assert float(two.lower) <= float(delta) * factor + 1e-12


def test_errors_cover_rounding() -> None:
    law = NormStaircase(dimension=4, sensitivity=11, epsilon=2, width=3, norm="l1")
    mechanism = AdditiveVectorNoise(
        law, sensitivity=1, guarantee=PureDP(epsilon=2), granularity="1/8", cost="squared"
    )
    assert mechanism.rounding == Fraction(4, 16)
    assert mechanism.error("0.9") == law.quantile("0.9") * Fraction(1, 8) + Fraction(1, 4)
    cost = mechanism.expected_cost()
    noise = Fraction(law.moment(2).lower) / 64
    assert cost.lower <= noise < cost.upper
    more = (2 * Fraction(law.moment(1).upper) / 8 + Fraction(1, 4)) / 4
    assert float(cost.upper) == pytest.approx(float(noise + more), rel=1e-12)
    flat = AdditiveVectorNoise(
        NormLaplace(4, 4, "linf"), sensitivity=1, guarantee=PureDP(epsilon=2), granularity="1/8"
    )
    assert flat.rounding == Fraction(1, 16)


@pytest.mark.parametrize("granularity", ["1", "1/8"])
def test_released_vectors_are_as_far_off_as_stated(granularity: str) -> None:
    law = NormStaircase(dimension=2, sensitivity=9, epsilon=1, width=4, norm="l1")
    mechanism = AdditiveVectorNoise(
        law, sensitivity=9 if granularity == "1" else 1, guarantee=PureDP(epsilon=1),
        granularity=granularity,
    )  # fmt: skip
    value = np.array([3, -5]) if granularity == "1" else np.array([3.21, -5.68])
    rows = mechanism.release(np.tile(value, (2000, 1))).value
    off = np.abs(rows - value).sum(axis=1)
    within = (off <= float(mechanism.error("0.9"))).mean()
    assert within > 0.9 - 5 * (0.09 / 2000) ** 0.5
    low, high = (float(end) for end in (law.quantile("0.5"), law.quantile("0.99999")))
    assert low * float(mechanism.granularity) * 0.5 < np.median(off)
    assert off.max() < 2 * high * float(mechanism.granularity)


def test_repr_makes_the_mechanism_again() -> None:
    mechanism = whole()
    names = {"NormStaircase": NormStaircase, "PureDP": PureDP, "Moment": __import__(
        "leastnoise.numeric.cost", fromlist=["Moment"]).Moment, "Fraction": Fraction}  # fmt: skip
    made = eval(repr(mechanism), {"AdditiveVectorNoise": AdditiveVectorNoise, **names})
    assert made == mechanism


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("sensitivity", 0), ("sensitivity", -1), ("sensitivity", float("nan")),
        ("sensitivity", "0.5"), ("granularity", 0), ("granularity", float("inf")),
        ("cost", "cubic"), ("cost", 3),
    ],
)  # fmt: skip
def test_bad_parameters(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameter, match=rf"`{name}` must"):
        silent(**{name: value})


@pytest.mark.parametrize("law", [DiscreteLaplace(1), None, "NormLaplace"], ids=repr)
def test_laws_of_numbers_are_refused(law: Any) -> None:
    with pytest.raises(InvalidParameter, match="`law` must be a law of vectors"):
        AdditiveVectorNoise(law, sensitivity=1, guarantee=PureDP(epsilon=1))
