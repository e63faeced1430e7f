"""Noise on what tables have in common: what it is for, and what it refuses."""

from fractions import Fraction
from typing import Any

import pytest

from leastnoise.numbers.errors import InvalidInput
from leastnoise.workloads.marginal_noise import SignedNoise

BOTH = ((((0,), (), 0),), (((), (1,), 1),))
TABLES: Any = ((0,), (0, 1))


@pytest.mark.parametrize("rates", [
    (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)), (Fraction(1), Fraction(-1)), (0.5, Fraction(1)), (1, 1),
])  # fmt: skip
def test_every_rate_is_a_fraction_above_0(rates: Any) -> None:
    SignedNoise((2, 3), TABLES, (Fraction(1), Fraction(1, 9)), BOTH)
    with pytest.raises(InvalidInput, match="The rate of noise is a fraction above 0"):
        SignedNoise((2, 3), TABLES, rates, BOTH)


def test_noise_is_for_the_tables_that_it_was_made_for() -> None:
    law = SignedNoise((2, 3), TABLES, (Fraction(1), Fraction(1)), BOTH)
    law.check_cells([2, 6])
    for wrong in ([6, 2], [2], [2, 6, 6], []):
        with pytest.raises(InvalidInput, match="for other tables than it was made for"):
            law.check_cells(wrong)


def test_a_draw_that_is_too_large_to_be_made_is_refused_beforehand() -> None:
    for size in (256, 257):
        signed = ((((), (0,), 0),), (((), (0,), 0),))
        if size == 256:
            SignedNoise((size,), ((0,), (0,)), (Fraction(1),), signed)
        else:
            with pytest.raises(InvalidInput, match="at most 512 numbers"):
                SignedNoise((size,), ((0,), (0,)), (Fraction(1),), signed)
