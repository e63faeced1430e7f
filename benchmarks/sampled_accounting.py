"""Sampled losses: values of 30 digits, random settings, allocation, and other accountants."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction

from benchmarks.isolated import Job, Outcome, run
from benchmarks.row import Row
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.loss_variable import LossVariable

DELTA = "1e-5"
NAMED = (("1/100", "1", 1000), ("256/60000", "11/10", 14000))
INTERVALS = tuple(digit * 10.0**-power for power in range(3, 6) for digit in (5, 2, 1))
ALLOCATED = (("1", 1000), ("11/10", 234), ("1/2", 1000))
SETTINGS, TOGETHER = 30, 5
Setting = tuple[str, str, int]


def sampling_rows() -> Iterator[Row]:
    """Sampled Gaussian noise, both directions; one of T steps at random."""
    for setting in NAMED:
        yield from _named(setting)
    yield from _random_settings()
    yield _check_values()
    yield from _allocated()


def _named(setting: Setting) -> Iterator[Row]:
    rate, sigma, steps = setting
    title = f"rate {rate}, σ = {float(Fraction(sigma)):g}, {steps} steps, δ = {DELTA}"
    ours = run(Job("own_accounting", "sampled", (rate, sigma, steps, DELTA)))
    if ours.failure:
        yield Row(title, ours.failure, "–", math.inf, "in ε", "at most", 1e-4)
        return
    removed, added = ours.values[:2], ours.values[2:]
    mine = f"removed {_shown(removed)}; added {_shown(added)}"
    width = max(high - low for low, high in (removed, added))
    yield Row(f"{title}, width", mine, "–", width, "in ε", "at most", 1e-4)
    yield Row(f"{title}, time", f"{ours.seconds:.3g} s", "–", ours.seconds, "s", "at most", 2)
    size = ours.megabytes
    yield Row(f"{title}, peak memory", f"{size:.3g} MB", "–", size, "MB", "at most", 500)
    arguments = (float(Fraction(rate)), float(Fraction(sigma)), steps, float(DELTA))
    worse = max(removed[0], added[0]), max(removed[1], added[1])
    for name, function in (("dp-accounting", "google"), ("prv-accountant", "microsoft")):
        theirs = run(Job("peer_accounting", f"{function}_sampled", arguments))
        yield _beside(title, worse, name, theirs)
    yield from _upper_ends(title, setting, worse[0])


def _upper_ends(title: str, setting: Setting, truth: float) -> Iterator[Row]:
    """Our upper end alone, and dp-accounting's on the coarsest grid where it is as close."""
    rate, sigma, steps = setting
    numbers = (float(Fraction(rate)), float(Fraction(sigma)), steps, float(DELTA))
    ours = run(Job("own_accounting", "sampled_upper_end", (rate, sigma, steps, DELTA)))
    far = ours.values[0] / truth - 1 if ours.values else math.inf
    case, mine = f"{title}, upper end alone", ours.failure or f"{ours.values[0]:.7g}"
    yield Row(f"{case}, above the lower", mine, f"{truth:.7g}", far, "of ε", "at most", 2e-4)
    for interval in INTERVALS:
        theirs = run(Job("peer_accounting", "google_sampled_upper", (*numbers, interval)))
        if theirs.failure or theirs.values[0] <= (1 + max(far, 0.0)) * truth:
            break
    peer = f"dp-accounting, interval {interval:.0e}: {theirs.seconds:.3g} s"
    ratio = ours.seconds / theirs.seconds
    yield Row(f"{case}, time", f"{ours.seconds:.3g} s", peer, ratio, "×", "at most", 2)


def _beside(title: str, ours: tuple[float, float], name: str, theirs: Outcome) -> Row:
    """Both hold the truth, so they must meet."""
    case = f"{title}, outside the bracket of {name}"
    if theirs.failure:
        return Row(case, _shown(ours), f"{name}: {theirs.failure}", math.nan, "in ε")
    low, high = theirs.values[0], theirs.values[-1]
    outside = max(0.0, low - ours[1], ours[0] - high)
    peer = f"{name}: {_shown((low, high))}, {theirs.seconds:.3g} s, {theirs.megabytes:.3g} MB"
    return Row(case, _shown(ours), peer, outside, "in ε", "at most", 0)


def random_settings() -> list[Setting]:
    """Rates from 1e-4 to 0.5, σ from 0.3 to 10, steps from 1 to 10^5, even on a scale of powers."""
    draw = random.Random(20)

    def between(low: float, high: float) -> float:
        return math.exp(draw.uniform(math.log(low), math.log(high)))

    return [
        (f"{between(1e-4, 0.5):.3g}", f"{between(0.3, 10):.3g}", round(between(1, 1e5)))
        for _ in range(SETTINGS)
    ]


def _random_settings() -> Iterator[Row]:
    settings = random_settings()
    narrow, widest, slowest, failed = 0, (0.0, ""), (0.0, ""), []
    for start in range(0, SETTINGS, TOGETHER):
        some = settings[start : start + TOGETHER]
        flat = tuple(part for setting in some for part in setting)
        found = run(Job("own_accounting", "sampled_settings", (DELTA, *flat)))
        rows = [found.values[i : i + 5] for i in range(0, len(found.values), 5)]
        for setting, row in zip(some, rows or [()] * len(some), strict=True):
            words = "rate {}, σ = {}, {} steps".format(*setting)
            if not row or not math.isfinite(row[1]) or not math.isfinite(row[3]):
                failed.append(f"{words}: {found.failure or 'no bracket'}")
                continue
            width = max(1 - low / high if high else 0 for low, high in (row[:2], row[2:4]))
            narrow += width <= 1e-3 and row[4] <= 2
            widest = max(widest, (width, words))
            slowest = max(slowest, (row[4], words))
    case = f"{SETTINGS} random sampled Gaussian settings, δ = {DELTA}"
    told = "; ".join(failed) or "none without a bracket"
    title = f"{case}, width at most 1e-3 of ε in at most 2 s"
    yield Row(title, f"{narrow} of {SETTINGS}", told, narrow, "settings", "at least", SETTINGS)
    yield Row(f"{case}, widest", widest[1], "–", widest[0], "of ε", "at most", 1e-3)
    yield Row(f"{case}, slowest", slowest[1], "–", slowest[0], "s", "at most", 2)


def _check_values() -> Row:
    """Values of 30-digit arithmetic, to the digits that are known."""
    inside = 0
    worst = 0.0
    for variable, epsilon, value in CHECKS:
        found = variable.delta(Fraction(epsilon))
        places = len(value.partition("e")[0].partition(".")[2]) - int(value.partition("e")[2] or 0)
        last = Fraction(1, 10**places)
        inside += found.lower - last <= Fraction(value) <= found.upper + last
        worst = max(worst, float(found.width / Fraction(value)))
    told = f"widest {worst:.2g} of δ"
    title = f"{len(CHECKS)} values of 30-digit arithmetic inside our brackets"
    return Row(title, f"{inside}", told, inside, "values", "at least", len(CHECKS))


def _allocated() -> Iterator[Row]:
    for sigma, steps in ALLOCATED:
        title = f"one of {steps} steps, σ = {float(Fraction(sigma)):g}, δ = {DELTA}"
        for direction in ("removed", "added"):
            arguments = (sigma, steps, DELTA, direction)
            found = run(Job("own_accounting", "allocated", arguments))
            case = f"{title}, {direction}"
            told = found.failure or _shown(found.values)
            seconds = math.inf if found.failure else found.seconds
            yield Row(f"{case}, time", told, "–", seconds, "s", "at most", 0.5)
            width = 1 - found.values[0] / found.values[1] if found.values else math.inf
            yield Row(f"{case}, width", told, "–", width, "of ε", "at most", 1e-3)


def _shown(ends: tuple[float, ...]) -> str:
    return f"{ends[0]:.7g} … {ends[1]:.7g}"


def _gaussian(sigma: str) -> PrivacyLoss:
    return PrivacyLoss.gaussian(mu=1 / Fraction(sigma))


def _both(loss: PrivacyLoss) -> tuple[LossVariable, LossVariable]:
    return loss.forward, loss.forward if loss.backward is None else loss.backward


def _checks() -> Iterator[tuple[LossVariable, str, str]]:
    """A direction of a loss, ε and δ."""
    low, high = _both(_gaussian("1").poisson_sampled("0.01"))
    yield low, "0.1", "7.29003769576e-5"
    yield low, "0.005", "2.63515084590e-3"
    yield high, "0.005", "9.63144335305e-4"
    low, high = _both(_gaussian("0.5").poisson_sampled("0.5"))
    yield low, "1", "0.210495594285"
    yield high, "0.5", "0.0721700401512"
    low, high = _both(_gaussian("2").poisson_sampled("0.1"))
    yield low, "-0.01", "0.0241358777742"
    yield high, "-0.01", "0.0258693232470"
    low, high = _both(PrivacyLoss.laplace(epsilon=1).poisson_sampled("0.1"))
    yield low, "0.1", "0.0131218308858"
    yield high, "0.05", "0.00821794835085"
    yield _gaussian("1").poisson_sampled("0.1", "replace").forward, "0.5", "0.00334197179101"
    yield _gaussian("1").poisson_sampled("0.01", "replace").forward, "0.1", "9.33184568273e-5"
    exchanged = PrivacyLoss.gaussian(mu=2)
    yield exchanged.sampled_without_replacement(10, 1).forward, "0.5", "0.0329682368541"
    yield exchanged.sampled_without_replacement(100, 1).forward, "0.1", "0.00260803322603"
    low, high = _both(_gaussian("1").poisson_sampled("0.01").self_compose(2))
    yield low, "0.1", "1.54518564155e-4"
    yield high, "0.01", "1.00352959225e-3"
    low, high = _both(_gaussian("1").poisson_sampled("0.5").self_compose(2))
    yield low, "0.5", "0.147920133411"
    yield high, "0.5", "0.0853238599601"
    low, high = _both(_gaussian("1").randomly_allocated(2))
    yield low, "0.5", "0.149177523136"
    yield high, "0.5", "0.142686965824"
    low, high = _both(_gaussian("0.5").randomly_allocated(2))
    yield low, "1", "0.404577500378"
    yield high, "1", "0.380339194397"


CHECKS = list(_checks())
