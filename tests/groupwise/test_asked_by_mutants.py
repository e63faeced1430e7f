"""What no other test noticed when it was changed: `make mutants`."""

from fractions import Fraction

from leastnoise.groupwise.spaced_counts import SpacedCounts


def test_a_small_group_is_hardly_ever_released_as_a_large_one() -> None:
    mechanism = SpacedCounts(relative_error="0.1", smallest=2, largest=30)
    assert mechanism._chance_above(5, Fraction(25)) < 0.01
    assert mechanism._chance_above(5, Fraction(5)) == 1
    assert mechanism._chance_above(30, Fraction(31)) == 1
