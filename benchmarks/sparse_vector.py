"""Sparse vector and selection: how far from the threshold, how tight a price, how fast."""

import math
from collections.abc import Iterator

import numpy as np
import opendp.prelude as dp
from numpy.typing import NDArray
from opendp.mod import Measure
from scipy.optimize import brentq, minimize

from benchmarks.row import Row, rate
from benchmarks.timing import Work, best
from leastnoise.mechanisms import (
    ExponentialMechanism,
    HonestMachine,
    PermuteAndFlip,
    ThresholdNoise,
    above_threshold,
    greatest_loss,
)

QUERIES = 1000
RISK = 0.05
TARGETS = {False: 39, True: 25}
CANDIDATES = 1_000_000
PEER_CANDIDATES = 10_000
REPETITIONS = 5
_NOWHERE = 1e9

dp.enable_features("contrib")


def gap_rows() -> Iterator[Row]:
    """The distance between values that never fire and values that always do."""
    for monotone, target in TARGETS.items():
        search = above_threshold(
            threshold=0, epsilon=1, sensitivity=1, monotone=monotone, queries=QUERIES
        )
        found = search.accuracy(queries=QUERIES, confidence="0.95")
        peer = f"Laplace noise on the line, best division: {_laplace_gap(monotone):.1f}"
        kind = "monotone, " if monotone else ""
        yield Row(
            f"Sparse vector, {kind}k = {QUERIES}, ε = 1, 95 %: gap",
            f"{int(found.gap)} (failure {float(found.failure):.4f}, exact)",
            f"{peer}; textbook bound {_textbook_gap():.0f}",
            float(found.gap),
            unit="",
            sense="at most",
            target=target,
        )


def _textbook_gap() -> float:
    """Twice 8·(ln k + ln(2/β))/ε."""
    return 16 * math.log(2 * QUERIES / RISK)


def _laplace_gap(monotone: bool) -> float:
    """The least gap with two-sided noise on the line, over the division and the threshold."""
    load = 1 if monotone else 2
    start = [0.4, 3 * load * math.log(QUERIES / RISK)]
    found = minimize(lambda at: _laplace_reach(at[0], at[1], load), start, method="Nelder-Mead")
    return float(found.fun)


def _laplace_reach(share: float, below: float, load: int) -> float:
    """The gap with the least `above` that keeps the risk; very large where there is none."""
    if not 0.05 < share < 0.95:
        return _NOWHERE
    rates = share, (1 - share) / load

    def excess(above: float) -> float:
        return _laplace_failure(rates, below, above) - RISK

    return below + float(brentq(excess, 0, 400)) if excess(400) < 0 < excess(0) else _NOWHERE


def _laplace_failure(rates: tuple[float, float], below: float, above: float) -> float:
    """P(one of k low values fires or the high one does not), by the trapezoidal rule."""
    rho = np.linspace(-40, 40, 16_001) / rates[0]
    density = np.exp(-rates[0] * np.abs(rho)) * rates[0] / 2
    silent = QUERIES * np.log1p(-np.minimum(_laplace_tail(rates[1], below + rho), 1 - 1e-16))
    right = np.exp(silent) * _laplace_tail(rates[1], rho - above)
    return float(np.trapezoid(density * (1 - right), rho))


def _laplace_tail(rate: float, place: NDArray[np.float64]) -> NDArray[np.float64]:
    half = np.exp(-rate * np.abs(place)) / 2
    return np.where(place > 0, half, 1 - half)


def price_rows() -> Iterator[Row]:
    """The exact privacy loss on the worst neighbours, as a share of the price."""
    for monotone in (False, True):
        noise = ThresholdNoise(epsilon=1, sensitivity=1, monotone=monotone)
        last = 0 if monotone else -1
        loss = greatest_loss(HonestMachine(noise, threshold=0), [0, -2, 0], [1, -1, last])
        kind = ", monotone" if monotone else ""
        yield Row(
            f"Sparse vector{kind}: greatest loss of all transcripts / ε",
            f"[{float(loss.lower):.12f}, {float(loss.upper):.12f}]",
            "proved bound: 1",
            float(loss.lower),
            unit="",
            target=0.999,
        )


def question_rows() -> Iterator[Row]:
    """Questions a second, beside floats."""
    values = np.full(CANDIDATES, -1000)
    search = above_threshold(threshold=0, epsilon=1, sensitivity=1)
    generator = np.random.default_rng()
    works: dict[str, Work] = {
        "ours": lambda: search.ask_all(values),
        "floats": lambda: values + generator.exponential(3.0, CANDIDATES) >= 0.0,
    }
    times = best(works, REPETITIONS)
    yield Row(
        f"Sparse vector, {CANDIDATES:,} questions in a row",
        rate(CANDIDATES / times["ours"]),
        f"NumPy, inexact: {rate(CANDIDATES / times['floats'])}",
        times["floats"] / times["ours"],
    )


def selection_rows() -> Iterator[Row]:
    """One choice among many candidates, beside OpenDP's."""
    generator = np.random.default_rng()
    many = generator.integers(0, 1000, CANDIDATES)
    few = many[:PEER_CANDIDATES]
    for kind, measure in (
        (PermuteAndFlip, dp.max_divergence()),
        (ExponentialMechanism, dp.zero_concentrated_divergence()),
    ):
        yield from _selection_rows(kind, measure, many, few)


def _selection_rows(
    kind: type[PermuteAndFlip | ExponentialMechanism],
    measure: Measure,
    many: NDArray[np.int64],
    few: NDArray[np.int64],
) -> Iterator[Row]:
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    peer = dp.m.make_noisy_max(*space, measure, scale=2.0)
    listed = few.tolist()
    large = kind(candidates=len(many), epsilon=1, sensitivity=1)
    small = kind(candidates=len(few), epsilon=1, sensitivity=1)
    works: dict[str, Work] = {
        "large": lambda: large.release(many),
        "small": lambda: small.release(few),
        "peer": lambda: peer(listed),
    }
    for work in works.values():
        work()
    times = best(works, REPETITIONS)
    yield Row(
        f"{kind.__name__}, {len(few):,} candidates, one choice",
        f"{times['small'] * 1e3:.3g} ms",
        f"OpenDP: {times['peer'] * 1e3:.3g} ms",
        times["peer"] / times["small"],
    )
    yield Row(
        f"{kind.__name__}, {len(many):,} candidates, one choice",
        f"{times['large'] * 1e3:.3g} ms",
        "itself",
        times["large"] * 1e3,
        unit="ms",
        sense="at most",
        target=1000,
    )
