"""What no other test noticed when it was changed: `make mutants`."""

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from flint import arb

from leastnoise.errors import InvalidParameter
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.radius_sum import RadiusSum
from leastnoise.tabulation.tail_bound import cube_records


def test_what_may_leak_more_is_not_proved() -> None:
    """A bracket around δ proves only what its upper end keeps."""
    leak = Interval(Fraction(1, 100), Fraction(3, 100))
    loss = SimpleNamespace(backward=object(), delta=lambda _: leak)
    noise: Any = SimpleNamespace(privacy=lambda _: loss)
    assert Perturbation._is_approximate(noise, Fraction(1), Fraction(3, 100))
    assert not Perturbation._is_approximate(noise, Fraction(1), Fraction(2, 100))


def test_terms_are_negligible_only_if_all_of_them_together_are() -> None:
    """Ten places before the top of a flat hump the sum is many times its last term."""
    terms = RadiusSum(power=3, rate=Fraction(1, 1000), extra=1)
    last = 50
    exact = sum((terms.term(k) for k in range(last + 1)), arb(0))
    found = terms.up_to(last, terms.term(last) * 2)
    assert found.overlaps(exact)
    assert abs(float(found) - float(exact)) < float(exact) / 1000


def test_records_are_counted_for_one_column_or_more() -> None:
    with pytest.raises(InvalidParameter):
        cube_records(columns=0, epsilon=1, error="0.05")
