"""Noise for a target: the analytic Gaussian, a calibrated composition, the optimal theorem."""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import dp_accounting
import mpmath
from dp_accounting.pld import PLDAccountant, privacy_loss_distribution, privacy_loss_mechanism

from benchmarks.row import Row
from benchmarks.timing import Work, best
from leastnoise.accounting.calibration import calibrate
from leastnoise.accounting.gaussian_calibration import gaussian_sigma
from leastnoise.accounting.optimal_composition import optimal
from leastnoise.privacy.loss import PrivacyLoss

EPSILONS = (
    "0",
    "1e-9",
    "1e-6",
    "1e-3",
    "0.01",
    "0.1",
    "0.5",
    "1",
    "2",
    "5",
    "10",
    "20",
    "50",
    "100",
)
DELTAS = (
    *("1e-300", "1e-200", "1e-100", "1e-50", "1e-30", "1e-18"),
    *("1e-12", "1e-6", "1e-3", "0.1", "0.5", "0.9"),
)
MOST = 10**6  # dp-accounting bisects to 1e-7 in σ, and never ends where floats are farther apart
DIGITS = 700  # the difference of two normal tails may lose 300
REPETITIONS = 3
COUNT = 1000


def sigma_rows() -> Iterator[Row]:
    """The analytic Gaussian over all targets: its worst error, and its time on average."""
    cases = [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]
    sizes = {case: _own_sigma(*case)[1] for case in cases}
    shared = [case for case in cases if sizes[case] <= MOST]
    ours = {case: max(_own_errors(*case)) for case in cases}
    theirs = {case: _relative_error(*case, _peer_sigma(*case)) for case in shared}
    refused = sum(math.isinf(error) for error in theirs.values())
    worst = max(ours, key=ours.__getitem__)
    other = max(theirs, key=lambda case: theirs[case] if theirs[case] < math.inf else 0)
    peer = (
        f"dp-accounting: {theirs[other]:.3g} {_at(*other)}; of the {len(shared)} with σ ≤ {MOST:g} "
        f"it refuses {refused}"
    )
    title = f"Gaussian σ, {len(cases)} targets"
    mine = f"worst {_at(*worst)}"
    yield Row(f"{title}, relative error", mine, peer, ours[worst], "of σ", "at most", 1e-12)
    works: dict[str, Work] = {
        "ours": lambda: [_own_sigma(*case) for case in shared],
        "theirs": lambda: [_peer_sigma(*case) for case in shared],
    }
    times = best(works, REPETITIONS)
    title = f"Gaussian σ, {len(shared)} targets, time of one"
    yield _time(title, times, 1e3 / len(shared), "dp-accounting")


def _at(epsilon: str, delta: str) -> str:
    return f"at ε = {epsilon}, δ = {delta}"


def _own_sigma(epsilon: str, delta: str) -> tuple[Fraction, Fraction]:
    found = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1)
    return Fraction(found.lower), Fraction(found.upper)


def _own_errors(epsilon: str, delta: str) -> list[float]:
    return [_relative_error(epsilon, delta, end) for end in _own_sigma(epsilon, delta)]


def _peer_sigma(epsilon: str, delta: str) -> Fraction:
    goal = dp_accounting.pld.common.DifferentialPrivacyParameters(float(epsilon), float(delta))
    try:
        loss = privacy_loss_mechanism.GaussianPrivacyLoss.from_privacy_guarantee(goal)
    except (ArithmeticError, ValueError):
        return Fraction(0)
    return Fraction(loss.standard_deviation)


def _relative_error(epsilon: str, delta: str, sigma: Fraction) -> float:
    r"""|σ/σ* − 1|, from δ(σ) − δ over the slope; infinite without an answer.

    The slope of δ in μ = 1/σ is φ(μ/2 − ε/μ). For errors that are not small this is rough.
    """
    if not sigma:
        return math.inf
    with mpmath.workdps(DIGITS):
        mu = mpmath.mpf(sigma.denominator) / sigma.numerator
        loss = mpmath.mpf(epsilon)
        place = mu / 2 - loss / mu
        reached = mpmath.ncdf(place) - mpmath.exp(loss) * mpmath.ncdf(place - mu)
        slope = mpmath.npdf(place)
        return float(abs(reached - mpmath.mpf(delta)) / (slope * mu))


def repeated_rows() -> Iterator[Row]:
    """The optimal composition theorem for many mechanisms; the noise for ten Gaussians."""
    pure = dp_accounting.pld.common.DifferentialPrivacyParameters(0.01, 0)
    works: dict[str, Work] = {
        "ours": lambda: optimal(epsilon="0.01", delta=0, count=COUNT).epsilon("1e-6"),
        "theirs": lambda: (
            privacy_loss_distribution.from_privacy_parameters(pure)
            .self_compose(COUNT)
            .get_epsilon_for_delta(1e-6)
        ),
    }
    title = f"Optimal composition, {COUNT} × (0.01, 0)-DP, ε at δ = 1e-6, time"
    yield _time(title, best(works, REPETITIONS), 1e3, "dp-accounting, interval 1e-4")
    works = {"ours": _own_ten, "theirs": _peer_ten}
    title = "Calibration of 10 × Gaussian to (1, 1e-6), time"
    peer = "dp-accounting, loss distributions, 1e-9"
    yield _time(title, best(works, REPETITIONS), 1e3, peer)


def _own_ten() -> object:
    return calibrate(
        lambda sigma: PrivacyLoss.gaussian(mu=1 / sigma).self_compose(10), epsilon=1, delta="1e-6"
    )


def _peer_ten() -> object:
    def event(sigma: float) -> object:
        return dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(sigma), 10)

    return dp_accounting.calibrate_dp_mechanism(
        partial(PLDAccountant), event, target_epsilon=1, target_delta=1e-6, tol=1e-9
    )


def _time(title: str, times: dict[str, float], scale: float, peer: str) -> Row:
    ours, theirs = (times[name] * scale for name in ("ours", "theirs"))
    text = f"{peer}: {theirs:.3g} ms"
    return Row(title, f"{ours:.3g} ms", text, ours / theirs, sense="at most")
