"""Group privacy: the sharp value, the published forms, and the mechanism that attains it."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, log, mp, mpf

from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.curves.curve import NEVER
from leastnoise.privacy.group import ApproxGroupCurve, group, group_curve, group_privacy
from leastnoise.privacy.group_forms import group_forms
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.to_approx import curve_of
from leastnoise.privacy.variables.finite_variable import FiniteVariable
from tests.privacy import reference
from tests.privacy.reference import brackets, number

losses = st.fractions(min_value=0, max_value=3, max_denominator=100)
leaks = st.fractions(min_value=0, max_value=Fraction(3, 4), max_denominator=10**6)
PAIRS = [("1", "1e-6"), ("0.25", "0.01"), ("0.5", "0.05"), ("0", "0.125"), ("2", "0.08")]


def iterated(epsilon: mpf, delta: mpf, size: int, value: mpf | int = 0) -> mpf:
    for _ in range(size):
        up, over = exp(epsilon) * value + delta, 1 - exp(-epsilon) * (1 - delta - value)
        value = min(mpf(1), up, over)
    return value


class CanonicalNoise:
    """Continuous canonical noise for (ε, δ): the trade-off at distance 1 is that of (ε, δ)-DP.

    Its distribution function F is linear on [−½, ½] and continued by F(x+1) = h(F(x)), where h is
    the function iterated above. Source: Awan and Vadhan, definition of canonical noise.
    """

    def __init__(self, epsilon: mpf, delta: mpf) -> None:
        self.epsilon, self.delta = epsilon, delta
        self.known: dict[mpf, mpf] = {}
        self.low = (1 - delta) / (1 + exp(epsilon))

    def below(self, x: mpf) -> mpf:
        if x < mpf(-1) / 2:
            return 1 - self.below(-x)
        if x <= mpf(1) / 2:
            return self.low + (1 - 2 * self.low) * (x + mpf(1) / 2)
        if x not in self.known:
            self.known[x] = iterated(self.epsilon, self.delta, 1, self.below(x - 1))
        return self.known[x]

    def reach(self) -> mpf:
        """The end of the support, found between two half integers where F is linear."""
        left = mpf(-1) / 2
        while self.below(left + 1) < 1 - self.delta:
            left += 1
        a, b = self.below(left), self.below(left + 1)
        return left + (1 - self.delta - a) / (b - a) + 1

    def divergence(self, shift: int, epsilon: mpf) -> mpf:
        """Hockey-stick at an integer shift: both densities are constant between the breaks."""
        span, edge = int(mp.ceil(self.reach())) + shift + 1, self.reach()
        breaks = {mpf(k) / 2 for k in range(-2 * span, 2 * span + 1)}
        breaks |= {sign * edge + k for sign in (-1, 1) for k in range(-span, span + 1)}
        here = [self.below(x) for x in sorted(breaks)]
        there = [self.below(x - shift) for x in sorted(breaks)]
        p, q = ([b - a for a, b in pairwise(values)] for values in (here, there))
        return reference.hockey_stick(p, q, epsilon)


@given(losses, leaks, st.integers(1, 60))
@settings(max_examples=80)
def test_closed_form_is_the_iterate(epsilon: Fraction, delta: Fraction, size: int) -> None:
    truth = iterated(number(epsilon), number(delta), size)
    assert brackets(group_privacy(epsilon=epsilon, delta=delta, size=size), truth)


@pytest.mark.parametrize(("epsilon", "delta"), PAIRS)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_canonical_noise_attains_the_whole_curve(epsilon: str, delta: str, size: int) -> None:
    noise = CanonicalNoise(number(epsilon), number(delta))
    curve = ApproxGroupCurve(ApproxDP(epsilon=epsilon, delta=delta), size)
    for share in ("0", "0.3", "0.77", "1", "1.2"):
        at = Fraction(share) * Fraction(epsilon) * size
        assert brackets(curve.delta(at), noise.divergence(size, number(at)))


def test_errata_a11() -> None:
    """Errata A11: ε = 1, K = 5, δ = 1e-6: 8.58e-5 against 2.73e-4 and 7.42e-4."""
    sharp, closed, lecture, loosest, _ = group_forms(epsilon=1, delta="1e-6", size=5).rows
    assert closed.value == sharp.value
    for form, value in ((sharp, 8.58e-5), (lecture, 2.73e-4), (loosest, 7.42e-4)):
        assert float(form.bound) == pytest.approx(value, rel=1e-3)


def test_errata_b5() -> None:
    """Errata B5: ε = 0.1, k = 10, δ = 1e-3: attained 0.01634, quoted 0.00272."""
    sharp, *_, quoted = group_forms(epsilon="0.1", delta="1e-3", size=10).rows
    assert float(sharp.value) == pytest.approx(0.01634, abs=5e-6)
    assert float(quoted.value) == pytest.approx(0.00272, abs=5e-6)
    attained = CanonicalNoise(mpf("0.1"), mpf("1e-3")).divergence(10, mpf(1))
    assert attained > 6 * number(quoted.value.upper)
    with pytest.raises(UnsupportedQuery, match="a bound must be a theorem"):
        _ = quoted.bound


def test_errata_b6() -> None:
    """Errata B6: at k = ln(1/δ)/ε the closed form is (1 − δ)/(e^ε − 1), 0.58 at ε = 1."""
    closed = group_forms(epsilon=1, delta=Fraction(float(exp(mpf(-20)))), size=20).rows[1]
    assert float(closed.value) == pytest.approx(0.58198, abs=5e-6)


def test_errata_b8() -> None:
    """Errata B8: at ε = 0.1, ten copies cost 16.34 times δ, not ten times; seven are affordable."""
    tiny = Fraction(1, 10**12)
    for size, factor in ((10, 16.34), (7, 9.64)):
        assert float(group_privacy(epsilon="0.1", delta=tiny, size=size)) == pytest.approx(
            factor * 1e-12, rel=1e-3
        )
    most = log(1 + (exp(mpf("0.1")) - 1) / mpf("0.1")) / mpf("0.1")
    assert float(most) == pytest.approx(7.19, abs=5e-3)


@given(losses, leaks, st.integers(1, 30))
@settings(max_examples=60)
def test_forms_are_in_order(epsilon: Fraction, delta: Fraction, size: int) -> None:
    rows = group_forms(epsilon=epsilon, delta=delta, size=size).rows
    bounds = [row.bound for row in rows if row.is_theorem]
    assert len(bounds) == 4
    assert all(before.lower <= after.upper for before, after in pairwise(bounds))


def test_forms_say_where_the_closed_one_stops() -> None:
    remarks = {
        size: group_forms(epsilon=1, delta="0.01", size=size).rows[1].remark for size in (4, 9)
    }
    assert remarks == {4: "attained", 9: "not attained"}
    assert "✗" in str(group_forms(epsilon=1, delta="0.01", size=4))


def test_large_groups_have_no_protection() -> None:
    assert group_privacy(epsilon=1, delta="1e-6", size=10**6) == Interval.exactly(1)
    with pytest.raises(UnsupportedQuery, match="a promise needs a delta below 1; got 1 for groups"):
        group(ApproxDP(epsilon=1, delta="1e-6"), size=10**6)


# Curves


def test_group_curve_answers_epsilon() -> None:
    curve = group_curve(ApproxDP(epsilon=1, delta="1e-6"), size=5)
    given_away = curve.delta(5)
    assert curve.epsilon("1e-5") == NEVER
    assert curve.delta(9) == given_away
    for delta in ("0.0001", "0.01", "0.5", "0.9"):
        epsilon = curve.epsilon(delta)
        assert curve.delta(epsilon.upper).lower <= Fraction(delta)
        assert epsilon.lower == 0 or curve.delta(epsilon.lower).upper >= Fraction(delta)


def test_group_of_one_is_the_promise() -> None:
    for promise in (PureDP(epsilon=1), ApproxDP(epsilon=1, delta="0.1")):
        one, same = group_curve(promise, size=1), curve_of(promise)
        assert brackets(one.delta("0.5"), number(same.delta("0.5").upper), "1e-14")
        assert one.epsilon("0.1") == same.epsilon("0.1") or promise == PureDP(epsilon=1)
    assert ApproxGroupCurve(ApproxDP(epsilon=0, delta="0.1"), 3).epsilon("0.3") == Interval.exactly(
        0
    )


def test_a_pure_group_leaks_less_than_its_promise() -> None:
    sharp, crude = group_curve(PureDP(epsilon=1), size=3), curve_of(PureDP(epsilon=3))
    assert sharp.delta(3) == Interval.exactly(0)
    assert sharp.delta(2).upper < crude.delta(2).lower


def test_never_send_a_gaussian_through_epsilon_and_delta() -> None:
    """Source: digest. μ = 0.3, k = 10, δ = 1e-6: exact ε 18.2, best black box 23.1."""
    exact = group_curve(GDP(mu="0.3"), size=10).epsilon("1e-6")
    assert float(exact) == pytest.approx(18.2, abs=0.05)
    leak = Fraction(1, 10**10)
    one = ApproxDP(epsilon=Fraction(curve_of(GDP(mu="0.3")).epsilon(leak).upper), delta=leak)
    assert group_curve(one, size=10).epsilon("1e-6").lower > 20


# Promises


@pytest.mark.parametrize(
    ("promise", "expected"),
    [
        (PureDP(epsilon="0.5"), PureDP(epsilon="1.5")),
        (ZCDP(rho="0.5"), ZCDP(rho="4.5")),
        (GDP(mu="0.2"), GDP(mu="0.6")),
        (ApproxDP(epsilon=0, delta="0.1"), ApproxDP(epsilon=0, delta="0.3")),
        (RDP(order=8, epsilon=1), RDP(order=Fraction(512, 169), epsilon=Fraction(169, 49))),
        (RDP(order=float("inf"), epsilon=1), RDP(order=float("inf"), epsilon=3)),
    ],
)
def test_groups_of_three(promise: Guarantee, expected: Guarantee) -> None:
    assert group(promise, size=3) == expected
    assert group(promise, size=1) == promise


@given(
    st.lists(st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=3, max_size=5),
    st.fractions(min_value=Fraction(5, 4), max_value=30, max_denominator=8),
)
@settings(max_examples=60)
def test_renyi_chains(chain: list[list[int]], order: Fraction) -> None:
    laws = [[mpf(weight) / sum(row) for weight in row] for row in chain]
    step = max(reference.renyi(p, q, number(order)) for p, q in pairwise(laws))
    promise = RDP(order=order, epsilon=Fraction(int(step * 10**40) + 1, 10**40))
    together = group(promise, size=len(laws) - 1)
    assert isinstance(together, RDP)
    reached = reference.renyi(laws[0], laws[-1], number(together.order))
    assert reached <= number(together.epsilon)


def test_renyi_groups_are_nearly_sharp_for_gaussians() -> None:
    order, size, rho = Fraction(1000), 5, Fraction(1, 2)
    together = group(RDP(order=order, epsilon=rho * order), size=size)
    assert isinstance(together, RDP)
    truth = size**2 * rho * Fraction(together.order)
    assert truth <= together.epsilon <= truth * Fraction(1005, 1000)


def test_approximate_zcdp_is_refused() -> None:
    promise = ZCDP(rho=1, delta="0.01")
    assert group(promise, size=1) == promise
    with pytest.raises(UnsupportedQuery, match="proved for delta=0 only"):
        group(promise, size=2)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (
            {"epsilon": 1, "delta": "0.1", "size": 0},
            "`size` must be an integer at least 1; got size=0",
        ),
        ({"epsilon": 1, "delta": "0.1", "size": 2.0}, "`size` must be an integer; got size=2.0"),
        (
            {"epsilon": -1, "delta": "0.1", "size": 2},
            "`epsilon` must not be negative; got epsilon=-1",
        ),
        ({"epsilon": 1, "delta": 1, "size": 2}, r"`delta` must lie in \[0, 1\); got delta=1"),
    ],
)
def test_bad_input(arguments: dict[str, int], rule: str) -> None:
    with pytest.raises(InvalidParameter, match=f"^{rule}"):
        group_privacy(**arguments)


def test_both_ends_hold_the_exact_iterate() -> None:
    """Corners of g∘g∘g in rationals, g with a jump at 0: pulled back, they come close to 0."""
    pairs = ((Fraction(1, 10**9), Fraction(0)), (Fraction(2, 5), Fraction(1, 7)))
    rest = (1 - pairs[0][0] - pairs[1][0], 1 - pairs[0][1] - pairs[1][1])
    loss = PrivacyLoss(FiniteVariable((*pairs, rest)))
    corners, alarm, power = [(Fraction(0), Fraction(1, 10**9))], Fraction(0), Fraction(0)
    for p, q in (*pairs, rest):
        alarm, power = alarm + q, power + p
        corners.append((alarm, power))

    def forward(x: Fraction) -> Fraction:
        lines = pairwise(corners[1:])
        return min(b + (d - b) / (c - a) * (x - a) for (a, b), (c, d) in lines if c > a)

    def backward(y: Fraction) -> Fraction:
        low, high = next((one, two) for one, two in pairwise(corners[1:]) if y <= two[1])
        return max(Fraction(0), low[0] + (y - low[1]) * (high[0] - low[0]) / (high[1] - low[1]))

    places = {Fraction(0), Fraction(1)}
    for x, _ in corners:
        places |= {x, backward(x), backward(backward(x))}
    found = loss.for_group(3).delta("0.3")
    factor = balls.enclosure(lambda: balls.ball(Fraction(3, 10)).exp()).upper
    truth = max(forward(forward(forward(x))) - Fraction(factor) * x for x in places)
    assert found.lower <= truth <= found.upper
    assert found.width <= Fraction(1, 2**60)
