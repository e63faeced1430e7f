"""Group privacy: sharp values of errata A11 and B5, and a mechanism that attains them."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.numbers.errors import InvalidInput
from leastnoise.privacy.group import GroupApproxDP, group_privacy
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss


def approx(epsilon: str, delta: str, size: int) -> GroupApproxDP:
    found = group_privacy(ApproxDP(epsilon=epsilon, delta=delta), size=size)
    assert isinstance(found, GroupApproxDP)
    return found


@pytest.mark.parametrize(
    ("epsilon", "delta", "size", "forms"),
    [
        ("1", "1e-6", 5, (8.57910e-5, 8.57910e-5, 2.72991e-4, 7.42066e-4, 1.48413e-4)),
        ("0.1", "1e-3", 10, (0.0163380, 0.0163380, 0.0245961, 0.0271829, 0.00271829)),
    ],
)
def test_published_forms(epsilon: str, delta: str, size: int, forms: tuple[float, ...]) -> None:
    found = approx(epsilon, delta, size)
    assert [float(row.delta) for row in found.forms.rows] == pytest.approx(forms, rel=1e-5)
    assert Fraction(found.delta) >= found.forms.rows[0].delta.lower


def test_the_table_is_printed() -> None:
    found = approx("1", "1e-6", 5)
    assert repr(found) == "ApproxDP(epsilon=5, delta=8.579e-05)"
    lines = repr(found.forms).splitlines()
    assert lines[0].split() == ["sharp", "8.579e-05"]
    assert lines[1].endswith("8.579e-05   attained")
    assert lines[4].endswith("1.484e-04   often quoted; not a theorem")


@given(st.fractions("0.05", 2), st.fractions("1/1000", "1/3"), st.integers(1, 8))
@settings(max_examples=60, deadline=None)
def test_the_iterate_is_attained_by_answers_of_one_bit(
    epsilon: object, delta: object, size: int
) -> None:
    """p_0 = 0, p_(i+1) = the greatest chance a neighbour's answer may have: (epsilon, delta)-DP."""
    step, lost, chance = exp(float(epsilon)), float(delta), 0.0  # type: ignore[arg-type]
    for _ in range(size):
        chance = min(1.0, step * chance + lost, 1 - (1 - lost - chance) / step)
    found = group_privacy(ApproxDP(epsilon=epsilon, delta=delta), size=size)  # type: ignore[arg-type]
    assert isinstance(found, ApproxDP) and float(found.delta) == pytest.approx(chance, rel=1e-12)


def test_the_loss_of_the_worst_mechanism_agrees() -> None:
    for epsilon, delta, size in (("1", "1e-6", 5), ("0.5", "0.05", 4), ("2", "0.1", 3)):
        loss = PrivacyLoss.worst_case(epsilon=epsilon, delta=delta).for_group(size)
        found = approx(epsilon, delta, size)
        assert float(loss.delta(found.epsilon)) == pytest.approx(float(found.delta), rel=1e-9)


def test_other_kinds() -> None:
    assert group_privacy(PureDP(epsilon="0.5"), size=3) == PureDP(epsilon="1.5")
    assert group_privacy(GDP(mu="0.5"), size=3) == GDP(mu="1.5")
    assert group_privacy(ZCDP(rho="0.5"), size=3) == ZCDP(rho="4.5")
    with pytest.raises(InvalidInput, match="whole number from 1"):
        group_privacy(PureDP(epsilon=1), size=0)
