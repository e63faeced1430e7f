"""What the note prints of its two algorithms, beside the truth."""

import math
from fractions import Fraction

import pytest

from leastnoise.errors import InvalidParameter
from leastnoise.research.product_noise import ProductNoise
from leastnoise.research.proportional_noise import ProportionalNoise


def test_golden_forward_bounds() -> None:
    """Errata E3: x = 5, r = ½, α = 2: 0.13411, and 0.31644 by the printed formula."""
    noise = ProportionalNoise(relative_error="0.5", smallest=5, order=2)
    found = noise.forward_bounds(5, order=2)
    step = math.log(6 / 5)
    assert float(found.exact) == pytest.approx(0.134113608145703)
    assert float(found.printed) == pytest.approx(0.134113608145703 + step)
    assert float(found.bound) == pytest.approx(2 / (2 * 0.25 * 25) + step)
    assert float(found.printed_bound) == pytest.approx(2 / (2 * 0.25 * 25) + 2 * step)
    assert float(found.flat_bound) == pytest.approx(1 / (2 * 0.25 * 11) + step)


@pytest.mark.parametrize("size", [3, 20, 1000])
@pytest.mark.parametrize("order", ["1.01", "2", "40"])
def test_bounds_hold_and_the_tight_one_is_smaller(size: int, order: str) -> None:
    noise = ProportionalNoise(relative_error="0.1", smallest=3, order="1.1")
    found = noise.forward_bounds(size, order=order)
    law, other = noise.law(size), noise.law(size + 1)
    assert found.exact == law.renyi(other, Fraction(order))
    assert found.exact.upper <= min(found.bound.lower, found.flat_bound.lower)
    assert found.bound.upper < found.printed_bound.lower


def test_forward_bounds_need_an_order_above_one() -> None:
    noise = ProportionalNoise(relative_error="0.1", smallest=3, order="1.1")
    with pytest.raises(InvalidParameter, match="order"):
        noise.forward_bounds(3, order=1)


@pytest.mark.parametrize("size", [0, 13, 200])
def test_printed_error_bound_holds_and_is_above_what_is_asked(size: int) -> None:
    """Errata E8, r = 0.1, ρ = ½: σ = 1."""
    noise = ProductNoise(rho="0.5", relative_error="0.1")
    printed = noise.printed_error_bound(size)
    assert float(printed) == pytest.approx(0.1 * size + math.sqrt(1.01))
    assert noise.expected_error(size).upper < printed.lower
    assert printed.lower > noise.relative_error * size
