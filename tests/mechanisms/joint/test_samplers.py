"""The samplers of joint noise: every step exact, and draws that fit the law as it is defined."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, exp, log
from operator import mul
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy.stats import chi2

from leastnoise.errors import Undecided
from leastnoise.mechanisms.joint.growth import Sides
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.pair_sampler import PairSampler, keeps
from leastnoise.mechanisms.joint.part import Box, Diamond, Everyone, Part, Simplex
from leastnoise.mechanisms.joint.shifted_uniform import shifted_uniform
from leastnoise.mechanisms.joint.simplex_set import SimplexSet
from leastnoise.mechanisms.joint.symmetric_sets import DiamondSet, Differences
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.randomness.source import Source
from tests.mechanisms.joint.exact import points
from tests.scripted import ScriptedSource

FALSE_ALARM = 1e-6
DRAWS = 10_000


def rejects(drawn: Sequence[Any], law: dict[Any, float]) -> bool:
    """A chi-square test; outcomes that are too rare for it are put together."""
    total, counts = sum(law.values()), Counter(drawn)
    often = [x for x, weight in law.items() if weight / total * len(drawn) > 10]
    expected = [law[x] / total * len(drawn) for x in often]
    observed = [counts[x] for x in often]
    if len(often) == len(law) and any(x not in law for x in counts):
        return True
    if len(often) < len(law):
        expected.append(len(drawn) - sum(expected))
        observed.append(len(drawn) - sum(observed))
    statistic = sum((a - b) ** 2 / b for a, b in zip(observed, expected, strict=True))
    return bool(chi2.sf(statistic, len(expected) - 1) < FALSE_ALARM)


def plain(rows: tuple[Any, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row.tolist()) for row in rows)


def outcomes(
    parts: Sequence[Part], weight: Callable[[int, int, int], float], most: int
) -> dict[Any, float]:
    """Weights by what is drawn, if each pair's points share weight(p, q, number of points)."""
    law: dict[Any, float] = {}
    for p, q in product(range(most), repeat=2):
        inside = list(product(*(points(part, p, q) for part in parts)))
        each = weight(p, q, len(inside))
        if each:
            for x in inside:
                law[x] = law.get(x, 0) + each
    return law


MIXTURES: list[list[Part]] = [
    [Box(0, 1), Everyone()],
    [Box(-1, 2, start=2), Box(1, 1)],
    [Simplex(2, 1), Everyone()],
    [Simplex(2, 1, 1), Box(0, 1, start=2)],
]


@pytest.mark.parametrize("parts", MIXTURES, ids=str)
def test_two_counters_draw_their_law(parts: list[Part]) -> None:
    noise, source = TwoCounterNoise(2, parts), Source()
    drawn = [plain(noise.draw(source)) for _ in range(DRAWS)]
    assert not rejects(drawn, outcomes(parts, lambda p, q, _: exp(-2 * (p + q)), 9))
    # The pitfall: counters drawn without regard to how many points they have.
    assert rejects(drawn, outcomes(parts, lambda p, q, size: exp(-2 * (p + q)) / size, 9))
    assert rejects(drawn, outcomes(parts, lambda p, q, _: exp(-1.7 * (p + q)), 9))


@pytest.mark.parametrize("other", [Simplex(2, 1), Diamond(2, 1, 1)], ids=str)
def test_one_counter_draws_its_law(other: Part) -> None:
    parts: list[Part] = [Box(-1, 1, start=2), other]
    noise, source = OneCounterNoise(3, parts), Source()
    drawn = [plain(noise.draw(source)) for _ in range(DRAWS)]
    sets: list[Part] = [Box(0, 1, start=2), *parts[1:]]

    def law(rate: float) -> dict[Any, float]:
        return outcomes(sets, lambda p, q, _: exp(-rate * p) if p == q else 0.0, 9)

    assert not rejects(drawn, law(3))
    assert rejects(drawn, law(2.5))


@pytest.mark.parametrize(
    ("cells", "total", "start"), [(1, 1, 0), (2, 1, 0), (3, 1, 0), (3, 2, 1), (4, 1, 1)]
)
def test_points_of_a_simplex(cells: int, total: int, start: int) -> None:
    """Their number, and how many have j positive cells, against a walk through a cube."""
    simplex = SimplexSet(cells, total, start)
    for p, q in product(range(3), repeat=2):
        inside = points(Simplex(cells, total, start), p, q)
        assert simplex.points(p, q) == len(inside)
        by_sign = Counter(sum(v > 0 for v in x) for x in inside)
        assert simplex._weights(*simplex.ends(p, q)) == [by_sign[j] for j in sorted(by_sign)]
        logs = simplex.log_points(np.array([float(p)]), np.array([float(q)]))
        assert logs[0] == pytest.approx(log(len(inside)), abs=1e-12)


@pytest.mark.parametrize("simplex", [SimplexSet(1, 1, 0), SimplexSet(9, 2, 12)], ids=str)
def test_terms_of_many_pairs_are_binomials(simplex: SimplexSet) -> None:
    p, q = np.arange(9.0, 15.0), np.arange(6.0)
    one, other = simplex.log_terms(p, q)
    for place in range(6):
        up, down = simplex.ends(int(p[place]), int(q[place]))
        d, signs = simplex.cells, range(simplex.cells + 1)
        rise, fall = [comb(d, j) * comb(up, j) for j in signs], [comb(down + j, j) for j in signs]
        assert one[place] == pytest.approx(np.log(rise), abs=1e-12)
        assert other[place] == pytest.approx(np.log(fall[::-1]), abs=1e-12)
        terms = sum(map(mul, rise, reversed(fall)))
        assert simplex.log_points(p, q)[place] == pytest.approx(log(terms), abs=1e-12)
    between = simplex.log_points(p + 0.5, q)
    assert (simplex.log_points(p, q) < between).all()
    assert (between < simplex.log_points(p + 1, q)).all()


@pytest.mark.parametrize(
    ("simplex", "p", "q"), [(SimplexSet(3, 1, 0), 2, 1), (SimplexSet(2, 2, 1), 1, 0)], ids=str
)
def test_uniform_points_of_a_simplex(simplex: SimplexSet, p: int, q: int) -> None:
    source = Source()
    drawn = [tuple(simplex.uniform(p, q, source).tolist()) for _ in range(DRAWS)]
    inside = points(Simplex(simplex.cells, simplex.total, simplex.start), p, q)
    assert not rejects(drawn, dict.fromkeys(inside, 1.0))
    assert set(drawn) == set(inside)
    assert rejects(drawn, dict.fromkeys(inside[1:], 1.0))


@pytest.mark.parametrize("kind", [Differences, DiamondSet])
def test_points_of_symmetric_sets(kind: type[Differences | DiamondSet]) -> None:
    part = Simplex(3, 2, 1) if kind is Differences else Diamond(3, 2, 1)
    each = kind(3, 2, 1)
    numbers = [len(points(part, p, p)) for p in range(4)]
    assert [each.points(p) for p in range(4)] == numbers
    assert each.log_points(np.arange(4.0)) == pytest.approx(np.log(numbers))


LAWS = [
    PairLaw(Fraction(1, 5), (Sides(2, 3, 2),), {SimplexSet(3, 1, 1): 2}),
    PairLaw(Fraction(1, 40), (), {SimplexSet(1, 1, 0): 1}),
    PairLaw(Fraction(3), (Sides(1),), {SimplexSet(2, 5, 0): 1, SimplexSet(1, 1, 0): 1}),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_squares_cover_every_pair_once(law: PairLaw) -> None:
    blocks = PairSampler(law).blocks
    covered = np.zeros((blocks.limit, blocks.limit), dtype=np.int64)
    for (p, q), size in zip(blocks.corners, blocks.sizes, strict=True):
        covered[p : p + size, q : q + size] += 1
    assert np.all(covered == 1)


def in_square(sampler: PairSampler, place: int, p: int, q: int) -> arb:
    """The chance to keep a pair of a square, times what it is proposed with."""
    blocks, size = sampler.blocks, int(sampler.blocks.sizes[place])
    width = -(-(size - 1).bit_length() // 8)
    low = [int(c) for c in blocks.corners[place]]
    script = b"".join(
        ((v - c) << (-(size - 1).bit_length() % 8)).to_bytes(width, "little")
        for v, c in zip((p, q), low, strict=True)
    )
    word = int(blocks.shares[:place].sum())
    found_p, found_q, chance = sampler._inside(word, ScriptedSource(script))
    assert (found_p, found_q) == (p, q)
    kept = chance()
    assert kept < 1
    return kept * int(blocks.shares[place]) / size**2 * arb(2) ** blocks.exponent


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_proposals_times_acceptance_are_the_weight(law: PairLaw) -> None:
    sampler = PairSampler(law)
    blocks = sampler.blocks
    heavy = np.argsort(blocks.shares)[::-1]
    for place in [*heavy[:50], *heavy[50:][::100]]:
        size = int(blocks.sizes[place])
        p0, q0 = (int(c) for c in blocks.corners[place])
        for p, q in {(p0, q0), (p0 + size - 1, q0 + size - 1), (p0, q0 + size - 1)}:
            found = in_square(sampler, int(place), p, q)
            assert found.overlaps(law.weight(p, q))
            assert abs(found / law.weight(p, q) - 1) < 1e-9


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_pairs_beyond_the_squares(law: PairLaw) -> None:
    """Their chance is below 1, and proposal times chance is the weight; inner ones are refused."""
    sampler, source = PairSampler(law), Source()
    blocks, rate = sampler.blocks, float(law.rate)
    inner = 0
    for _ in range(300):
        p, q, chance = sampler.beyond(source)
        if max(p, q) < blocks.limit:
            inner += 1
            assert chance() == 0
            continue
        excess = p + q - blocks.limit
        assert excess >= 0
        assert 0 < chance() <= 1
        each = (1 - exp(-rate / 2)) * exp(-rate * excess / 2) / (p + q + 1) * blocks.tail
        assert float(chance() * each * arb(2) ** blocks.exponent / law.weight(p, q)) == (
            pytest.approx(1, rel=1e-9)
        )
    assert 0 < inner < 300
    assert blocks.tail < 1e-12 * blocks.shares.sum()


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_bound_beyond_holds(law: PairLaw) -> None:
    for radius in range(0, 60, 7):
        true = sum((law.weight(p, radius - p) for p in range(radius + 1)), arb(0))
        assert true <= law.bound(radius) * (1 + arb(2) ** -40)


def test_a_proposal_below_the_weight_is_noticed() -> None:
    with pytest.raises(Undecided, match="proposal must lie above"):
        keeps(lambda: arb("1.0001"), Source())


def test_coins_are_exact_to_the_last_bit() -> None:
    """A word at the edge draws another; the chance is 1/3, 0x5555… in binary."""
    edge = (5 * (16**16 - 1) // 15).to_bytes(8, "little")

    def third() -> arb:
        return arb(1) / 3

    assert keeps(third, ScriptedSource(edge + bytes(8)))
    assert not keeps(third, ScriptedSource(edge + b"\xff" * 8))
    assert keeps(third, ScriptedSource(bytes(8)))


@pytest.mark.parametrize(("low", "high"), [(-3, 4), (-(2**70), 2**70), (2**70, 2**70), (5, 5)])
def test_uniform_between_ends(low: int, high: int) -> None:
    drawn = shifted_uniform(low, high, 500, Source()).tolist()
    assert min(drawn) >= low
    assert max(drawn) <= high
    if high - low < 10:
        assert set(drawn) == set(range(low, high + 1))
    elif high > low:
        assert min(drawn) < 0.9 * low < 0.9 * high < max(drawn)


def test_bounds_of_squares_hold_in_all_of_them() -> None:
    """Squares of many pairs, as they are taken for a small ε."""
    law = PairLaw(Fraction(1, 40), (Sides(5), Sides(1)), {SimplexSet(3, 2, 0): 1})
    beyond = 9.0
    for corner in ((0.0, 0.0), (30.0, 10.0), (60.0, 90.0)):
        p, q = (np.array([end]) for end in corner)
        above, below = law.log_bounds(p, q, beyond)
        steps = np.arange(beyond + 1)
        inside = law.log_weight(np.repeat(p + steps, len(steps)), np.tile(q + steps, len(steps)))
        assert (inside <= above + 1e-9).all()
        assert (inside >= below - 1e-9).all()
