"""Composed privacy losses beside dp-accounting and prv-accountant."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from benchmarks.isolated import Argument, Job, Outcome, run, take_turns
from benchmarks.releases import COMPOSITIONS
from benchmarks.row import Row
from leastnoise.accounting.filters import PrivacyFilter
from leastnoise.noise import DiscreteLaplace
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.gaussian import gaussian_mu
from leastnoise.privacy.guarantee import RDP
from leastnoise.privacy.loss import PrivacyLoss

GAUSSIAN, LAPLACE, MIXED, HUNDRED = COMPOSITIONS
DELTA = "1e-6"
WIDTH = 1e-4
REPETITIONS = 3
INTERVALS = tuple(digit * 10.0**-power for power in range(2, 8) for digit in (5, 2, 1))
TOTALS = ("1e-6", "1e-3", "1", "1e3")
ORDER = Fraction("6.5")


def composition_rows() -> Iterator[Row]:
    """Two thousandfold compositions and one of unlike releases: tightness, time, memory."""
    for name in (GAUSSIAN, LAPLACE, MIXED):
        yield from _compared(name)


@dataclass(frozen=True)
class _Tuned:
    """dp-accounting's coarsest setting that is tight enough, if there is one."""

    job: Job | None
    setting: str


def _compared(name: str) -> Iterator[Row]:
    first = run(_own(name))
    both = _tuned("google_bracket", name, None)
    truth = _reference(name, first, both.job)
    one_end = _tuned("google", name, truth)
    alone = Job("own_accounting", "upper_end", (name, DELTA))
    jobs = {"ours": _own(name), "alone": alone}
    jobs |= {label: tuned.job for label, tuned in (("both", both), ("upper", one_end)) if tuned.job}
    if name != MIXED:
        error = WIDTH * first.values[-1] / 2 if first.values else WIDTH
        jobs["prv"] = Job("peer_accounting", "microsoft", (name, float(DELTA), error))
    found = take_turns(jobs, REPETITIONS)
    yield from _tightness(name, found["ours"])
    yield _one_end(f"{name}, δ = {DELTA}", found["alone"], truth)
    yield from _times(name, found, both, one_end)
    yield _memory(f"{name}, peak memory", {name: found["ours"]}, found.get("both"))


def _own(name: str, scale: str = "1", delta: str = DELTA) -> Job:
    function = "gaussian_on_grid" if name == GAUSSIAN else "bracket"
    return Job("own_accounting", function, (name, delta, scale))


def _exact(delta: str) -> Interval:
    return PrivacyLoss.gaussian(mu=Fraction(1, 30)).self_compose(1000).epsilon(delta)


def _reference(name: str, ours: Outcome, both: Job | None) -> float:
    """The best lower bound known on the true ε."""
    if name == GAUSSIAN:
        return float(_exact(DELTA).lower)
    theirs = run(both).values[:1] if both else ()
    return max((*ours.values[:1], *theirs), default=math.nan)


def _tuned(function: str, name: str, truth: float | None) -> _Tuned:
    """Refine dp-accounting's grid until its ends, or its upper end and the truth, are close."""
    for interval in INTERVALS:
        arguments: tuple[Argument, ...] = (name, float(DELTA), interval)
        job = Job("peer_accounting", function, arguments if truth is None else (*arguments, True))
        outcome = run(job)
        if outcome.failure:
            return _Tuned(None, f"{outcome.failure} at interval {interval:.0e}")
        low = outcome.values[0] if truth is None else truth
        if outcome.values[-1] - low <= WIDTH * outcome.values[-1]:
            return _Tuned(job, f"interval {interval:.0e}")
    return _Tuned(None, f"not as tight at interval {INTERVALS[-1]:.0e}")


def _tightness(name: str, ours: Outcome) -> Iterator[Row]:
    exact = f"exact: {float(_exact(DELTA)):.7g}" if name == GAUSSIAN else "–"
    title = f"{name}, δ = {DELTA}"
    if not ours.values:
        yield Row(f"{title}, width", ours.failure, exact, math.inf, "of ε", "at most", WIDTH)
        return
    low, high = ours.values
    width = (high - low) / high
    yield Row(f"{title}, width", _bracket(ours), exact, width, "of ε", "at most", WIDTH)
    if name == GAUSSIAN:
        yield from _soundness(DELTA, ours)


def _soundness(delta: str, ours: Outcome) -> Iterator[Row]:
    truth, (low, high) = _exact(delta), ours.values
    least, most = float(truth.lower), float(truth.upper)
    title = f"{GAUSSIAN}, δ = {delta}"
    peer = f"exact: {float(truth):.9g}"
    above, below = (high - most) / most, (least - low) / least
    yield Row(f"{title}, upper end above", f"{high:.9g}", peer, above, "of ε", target=0)
    yield Row(f"{title}, lower end below", f"{low:.9g}", peer, below, "of ε", target=0)


def _one_end(title: str, ours: Outcome, truth: float) -> Row:
    """How far the upper end that knows no other one lies above the best lower end known."""
    case = f"{title}, upper end alone, above the truth"
    if ours.failure:
        return Row(case, ours.failure, "–", math.inf, "of ε", "at most", WIDTH)
    far = ours.values[0] / truth - 1
    return Row(case, f"{ours.values[0]:.9g}", f"{truth:.9g}", far, "of ε", "at most", WIDTH)


def _times(name: str, found: dict[str, Outcome], both: _Tuned, one_end: _Tuned) -> Iterator[Row]:
    rivals = (
        ("both", "dp-accounting, both ends as close", both.setting, 1.0),
        ("upper", "dp-accounting, upper end as close to the truth", one_end.setting, 2.0),
        ("prv", "prv-accountant, both ends as close", "", None),
    )
    for label, text, setting, target in rivals:
        ours, alone = found["alone" if label == "upper" else "ours"], label == "upper"
        mine = ours.failure or f"{ours.seconds:.3g} s{', upper end alone' if alone else ''}"
        note = f" ({setting})" if setting else ""
        if label in found and not found[label].failure:
            other = found[label]
            ratio = math.inf if ours.failure else ours.seconds / other.seconds
            peer = f"{text}{note}: {other.seconds:.3g} s, {other.megabytes:.3g} MB"
            yield Row(f"{name}, time", mine, peer, ratio, "×", "at most", target)
        else:
            why = found[label].failure if label in found else setting
            if label == "prv" and name == MIXED:
                why = "has no discrete Gaussian"
            yield Row(f"{name}, time", mine, f"{text}: {why}", ours.seconds, "s", "at most")


def memory_rows() -> Iterator[Row]:
    """The most memory over totals of ε from 1e-6 to 1e3, roughly, at the same δ."""
    unscaled = float(gaussian_mu(_exact(DELTA).upper, DELTA))
    for name in (GAUSSIAN, LAPLACE, MIXED):
        jobs = {}
        for total in TOTALS:
            scale = float(gaussian_mu(total, DELTA)) / unscaled
            jobs[f"ε ≈ {total}"] = _own(name, f"{scale:.3g}")
        outcomes: dict[str, Outcome] = {}
        for total, job in jobs.items():
            outcomes[total] = run(job)
            if outcomes[total].failure:
                break
        title = f"{name}, scaled to ε from 1e-6 to 1e3"
        yield _memory(f"{title}, peak memory", outcomes, None)
        yield _widest(f"{title}, width", outcomes)


def _widest(title: str, ours: dict[str, Outcome]) -> Row:
    widths = {
        total: 1 - outcome.values[0] / outcome.values[1]
        for total, outcome in ours.items()
        if outcome.values and outcome.values[1]
    }
    worst = max(widths, key=widths.__getitem__)
    peer = "; ".join(f"{total}: {width:.2g}" for total, width in widths.items())
    return Row(title, f"worst at {worst}", peer, widths[worst], "of ε", "at most")


def _memory(title: str, ours: dict[str, Outcome], peer: Outcome | None) -> Row:
    failed = {total: outcome for total, outcome in ours.items() if outcome.failure}
    if failed:
        reasons = "; ".join(f"{total}: {outcome.failure}" for total, outcome in failed.items())
        return Row(title, "no answer", reasons, math.inf, "MB", "at most", 1024)
    worst = max(ours, key=lambda total: ours[total].megabytes)
    size = ours[worst].megabytes
    beside = (
        f"dp-accounting, both ends as close: {peer.megabytes:.3g} MB"
        if peer and not peer.failure
        else "; ".join(
            f"{total}: {outcome.megabytes:.3g} MB, {outcome.seconds:.3g} s, {_bracket(outcome)}"
            for total, outcome in ours.items()
        )
    )
    return Row(title, f"{size:.3g} MB", beside, size, "MB", "at most", 1024)


def hundred_rows() -> Iterator[Row]:
    """A hundred releases with ε = 0.1 each: planned, of discrete noise, and chosen on the way."""
    ours = run(_own(HUNDRED))
    upper = run(Job("peer_accounting", "google", (HUNDRED, float(DELTA), 1e-4, True)))
    lower = run(Job("peer_accounting", "google", (HUNDRED, float(DELTA), 1e-4, False)))
    low, high = ours.values or (math.nan, math.nan)
    title = f"{HUNDRED}, δ = {DELTA}"
    peers = [f"dp-accounting, interval 1e-4: {_shown(end)}" for end in (upper, lower)]
    yield Row(f"{title}, upper end", f"{high:.7g}", peers[0], high, "in ε", "at most", 4.70)
    yield Row(f"{title}, lower end", f"{low:.7g}", peers[1], low, "in ε", "at least", 4.68)
    yield from _discrete_hundred()
    yield _adaptive_hundred()


def _discrete_hundred() -> Iterator[Row]:
    found = DiscreteLaplace(scale=10).privacy(1).self_compose(100).epsilon(DELTA)
    peer = run(Job("peer_accounting", "google_discrete_laplace", (10, 100, float(DELTA), 1e-4)))
    low, high = float(found.lower), float(found.upper)
    text = f"dp-accounting, interval 1e-4, upper end: {_shown(peer)}"
    title, mine = f"100 × discrete Laplace, scale 10, δ = {DELTA}", f"{low:.15g} … {high:.15g}"
    yield Row(f"{title}, width", mine, text, (high - low) / high, "of ε", "at most", 1e-12)
    far = max(abs(end - 4.7746) for end in (low, high))
    yield Row(f"{title}, off 4.7746", mine, text, far, "in ε", "at most", 5e-5)


def _adaptive_hundred() -> Row:
    cost = RDP(order=ORDER, epsilon=Fraction(PrivacyLoss.laplace(epsilon="0.1").renyi(ORDER).upper))
    budget = PrivacyFilter(RDP(order=ORDER, epsilon=100 * cost.epsilon))
    for _ in range(100):
        budget = budget.request(cost)
    price = float(budget.as_approx(DELTA).epsilon)
    title = f"100 × Laplace chosen adaptively, δ = {DELTA}, Rényi filter"
    return Row(title, f"{price:.6g}", f"order {float(ORDER):g}", price, "in ε", "at most", 4.99)


def tiny_delta_rows() -> Iterator[Row]:
    """The thousandfold Gaussian at δ = 1e-18 and 1e-30 against its closed form."""
    for delta in ("1e-18", "1e-30"):
        truth = float(_exact(delta))
        ours = run(_own(GAUSSIAN, delta=delta))
        low, high = ours.values or (math.nan, math.nan)
        title, exact = f"{GAUSSIAN}, δ = {delta}", f"exact: {truth:.9g}"
        far = max(abs(end - truth) for end in (low, high)) / truth
        mine = f"{_bracket(ours)}, {ours.seconds:.3g} s"
        yield Row(f"{title}, grid off", mine, exact, far, "of ε", "at most", 1e-6)
        if ours.values:
            yield from _soundness(delta, ours)
        for peer, job in _peers_at(delta):
            found = run(job)
            answer = found.values[-1] if found.values else math.inf
            text = f"{peer}: {_shown(found)}, {found.seconds:.3g} s"
            yield Row(f"{title}, others off", exact, text, abs(answer - truth) / truth, "of ε")


def _peers_at(delta: str) -> Iterator[tuple[str, Job]]:
    number = float(delta)
    job = Job("peer_accounting", "google", (GAUSSIAN, number, 1e-4, True))
    yield "dp-accounting, interval 1e-4, upper end", job
    job = Job("peer_accounting", "google_untruncated", (GAUSSIAN, number, 1e-4))
    yield "dp-accounting, told to cut off at most δ/1000, upper end", job
    job = Job("peer_accounting", "microsoft", (GAUSSIAN, number, 1e-3))
    yield "prv-accountant, error 1e-3, upper end", job


def _bracket(outcome: Outcome) -> str:
    if outcome.failure:
        return outcome.failure
    low, high = outcome.values
    return f"{low:.9g} … {high:.9g}"


def _shown(outcome: Outcome) -> str:
    return outcome.failure or f"{outcome.values[-1]:.9g}"
