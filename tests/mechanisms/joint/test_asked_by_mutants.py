"""What no other test noticed when it was changed: `make mutants`."""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import cast

import numpy as np
from flint import arb

from leastnoise.mechanisms.joint.growth import Sides
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.joint.one_counter_noise import OneCounterNoise
from leastnoise.mechanisms.joint.pair_counters import PairCounters, _bins
from leastnoise.mechanisms.joint.pair_law import PairLaw
from leastnoise.mechanisms.joint.pair_sampler import PairSampler
from leastnoise.mechanisms.joint.pair_table import PairTable
from leastnoise.mechanisms.joint.part import Box, Everyone, Simplex
from leastnoise.mechanisms.joint.precision import Precision
from leastnoise.mechanisms.joint.shifted_uniform import shifted_uniform
from leastnoise.mechanisms.joint.simplex_set import SimplexSet
from leastnoise.mechanisms.joint.squared_reach import squared_reach
from leastnoise.mechanisms.joint.two_counter_noise import TwoCounterNoise
from leastnoise.randomness.source import Source
from tests.mechanisms.joint.exact import all_points


def test_counters_weigh_what_all_parts_hold_equal_ones_too() -> None:
    """Three histograms, two of them alike, and a box, against all points of all of them."""
    parts: list[Box | Simplex] = [Simplex(2, 1), Simplex(2, 1), Simplex(1, 2, 1)]
    parts.append(Box(0, 1, start=2))
    law = PairCounters(Fraction(1), parts).law
    for p, q in product(range(3), repeat=2):
        every = sum(1 for _ in all_points(parts, p, q))
        assert abs(law.weight(p, q) / (arb(-(p + q)).exp() * every) - 1) < 1e-12


def test_both_ends_of_a_box_are_priced() -> None:
    """At −2 the measured number moves by 3·(2·(−2) − 1), farther than at 1."""
    fine, unused = Precision(own=3, centre=1, scale=2), Precision(own=1, centre=0, scale=1)
    assert squared_reach([Box(-2, 1), Everyone()], [fine, unused], 5, 1) == 5**2 + 15**2


def test_beyond_the_squares_either_counter_may_have_it_all() -> None:
    """Each end is one of about 32 values: 3000 draws without it have a chance below 1e-40."""
    sampler = PairSampler(PairLaw(Fraction(3), (Sides(1),), {SimplexSet(1, 1, 0): 1}))
    source = Source()
    pairs = [sampler.beyond(source)[:2] for _ in range(3000)]
    assert sampler.blocks.limit <= 64
    assert any(p == 0 for p, _ in pairs)
    assert any(q == 0 for _, q in pairs)


def test_wide_intervals_leave_64_bits_in_time() -> None:
    """Sums of two such numbers shall not overflow."""
    assert shifted_uniform(1 - 2**62, 2**62 - 1, 3, Source()).dtype == np.int64
    assert shifted_uniform(-(2**62), 0, 3, Source()).dtype == np.object_
    assert shifted_uniform(0, 2**62, 3, Source()).dtype == np.object_


def test_what_is_made_ready_is_made() -> None:
    counters = PairCounters(Fraction(1), [Simplex(2, 1)])
    counters.make_ready()
    assert {"blocks", "_sums"} <= vars(counters._sampler).keys()


def test_a_group_of_units_costs_as_many_times_more() -> None:
    for noise in (TwoCounterNoise(1, [Box(0, 1)] * 3), OneCounterNoise(1, [Box(-1, 1)] * 3)):
        for units in (1, 2, 3):
            assert noise.privacy(units).delta(units).upper == 0
            assert noise.privacy(units).delta(units - Fraction(1, 10)).lower > 0


def test_real_levels_have_a_hundred_and_sixty_bins() -> None:
    """A single bin for all would forecast noise as if all levels were alike."""
    levels = np.random.default_rng(5).permutation(np.linspace(3, 1003, 5001))
    order, first = _bins(cast(PairTable, SimpleNamespace(p=levels, single=False)))
    assert (np.diff(levels[order]) > 0).all()
    assert len(first) == 161  # the greatest is the last one's own
    assert set(np.diff(first[:-1])) <= {31, 32}


def test_a_part_says_with_how_many_it_shares_its_draw() -> None:
    one, two = (OneCounterNoise("0.734", [Box(-1, 1, cells=2)] * n) for n in (1, 2))
    assert repr(JointPart(one, 0)) == "OneCounterNoise at ε = 0.734"
    assert repr(JointPart(two, 1)) == "OneCounterNoise at ε = 0.734, shared by 2 questions"
