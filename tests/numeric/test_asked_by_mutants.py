"""What no other test noticed when it was changed: `make mutants`."""

import math
from fractions import Fraction

from flint import arb

from leastnoise.numeric.cost import Moment, TailProbability, last_free_place
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.normal_cdf import normal_cdf
from leastnoise.numeric.theta import _series


def test_a_series_leaves_room_for_the_terms_it_leaves_out() -> None:
    assert _series(arb(3), lambda _: arb(0)).rad() > 0


def test_the_highest_moment_may_be_asked_for() -> None:
    assert Moment(64).order == 64


def test_far_to_the_left_the_normal_law_is_below_its_bound() -> None:
    """Φ(−t) ≤ exp(−t²/2) ≤ exp(−2**19) < 2**-756388 for t ≥ 2**10."""
    tail = normal_cdf(arb(-1025))
    assert tail.contains(0)
    assert tail.upper() < arb(2) ** -756387


def test_the_last_free_place_of_a_tail_and_of_no_other_cost() -> None:
    assert last_free_place(TailProbability(5), Fraction(2)) == 2
    assert last_free_place(TailProbability(5), Fraction(2), Fraction(2)) == 1
    assert last_free_place(Moment(1), Fraction(2)) is None


def test_an_interval_without_an_end_beside_a_long_fraction() -> None:
    assert float(Interval(-math.inf, Fraction(10) ** 400)) == -math.inf
    assert float(Interval(-(Fraction(10) ** 400), math.inf)) == math.inf
