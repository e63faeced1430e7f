"""What tracing tells from published means, exact and private, and how fast it is told."""

from collections.abc import Iterator
from statistics import fmean
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from benchmarks.row import Row
from benchmarks.timing import best
from leastnoise.attacks import STRATEGIES, CodeExperiment, auc, greatest_auc, trace
from leastnoise.tabulation import marginals

PEOPLE, ATTRIBUTES, OUTSIDERS = 100, 20_000, 1000
RELEASES = 20
REPETITIONS = 5

Bits = NDArray[np.bool_]
Means = NDArray[np.float64]


def tracing_rows() -> Iterator[Row]:
    """Areas under the curve for 100 people with 20 000 bits, and the time to score them."""
    generator = np.random.default_rng(1)
    means = generator.random(ATTRIBUTES)
    people = generator.random((PEOPLE, ATTRIBUTES)) < means
    others = generator.random((OUTSIDERS, ATTRIBUTES)) < means
    case = f"Tracing, n = {PEOPLE}, d = {ATTRIBUTES:,}"
    exact = _area(people.mean(axis=0), people, others, means)
    yield Row(f"{case}, exact means", f"{exact:.4f}", "1 is certainty", exact, "", target=0.99)
    for name, delta in (("ε = 1", "0"), ("ε = 1, δ = 1e-6", "1e-6")):
        limit = float(greatest_auc(epsilon=1, delta=delta))
        areas = [
            _area(marginals(people, epsilon=1, delta=delta).clipped_means, people, others, means)
            for _ in range(RELEASES)
        ]
        yield Row(
            f"{case}, {name}, mean of {RELEASES} releases",
            f"{fmean(areas):.3f}, worst {max(areas):.3f}",
            f"0.5 is guessing, {limit:.3f} the most for any attack",
            fmean(areas),
            "",
            sense="at most",
            target=0.62,
        )
    yield _speed(people.mean(axis=0), others, means)


def _area(release: Means, people: Bits, others: Bits, means: Means) -> float:
    inside = trace(release, people, means, false_accusation="1e-6")
    outside = trace(release, others, means, false_accusation="1e-6")
    return float(auc(inside.scores, outside.scores))


def _speed(release: Means, others: Bits, means: Means) -> Row:
    floats = others.astype(np.float64)
    weights = release - means
    times = best(
        {
            "ours": lambda: trace(release, others, means, false_accusation="1e-6"),
            "": lambda: floats @ weights,
        },
        REPETITIONS,
    )
    return Row(
        f"Tracing {OUTSIDERS} targets, d = {ATTRIBUTES:,}",
        f"{times['ours'] * 1e3:.3g} ms",
        f"NumPy, product of floats: {times[''] * 1e3:.3g} ms",
        times["ours"] / times[""],
    )


def code_rows() -> Iterator[Row]:
    """Tardos codes against every strategy: somebody guilty caught, nobody innocent accused."""
    experiment = CodeExperiment(users=50, length=2000, coalition=5, false_accusation="1e-6")
    for strategy in STRATEGIES:
        start = perf_counter()
        measured = experiment.measure(strategy, trials=100)
        seconds = perf_counter() - start
        sure = measured.completeness(confidence="0.95")
        yield Row(
            f"Tardos code, 5 of 50 users, 2000 bits, {strategy.__name__}",
            f"{measured.caught} of 100 caught, {measured.framed} framed, {seconds:.2g} s",
            f"chance of a catch {float(sure.lower):.3f} to {float(sure.upper):.3f} (95 %)",
            measured.caught / measured.trials,
            "",
        )
