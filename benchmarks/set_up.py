"""What it costs to get going: making a law with its tables, the memory it keeps, the import."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from time import perf_counter

from benchmarks.row import Row
from benchmarks.timing import Work, best, bytes_kept, clocks
from leastnoise.noise import (
    Canonical,
    DiscreteGaussian,
    DiscreteLaplace,
    LatticeLaw,
    Staircase,
    TruncatedLaplace,
    TruncatedStaircase,
    Uniform,
)

EPSILONS = ("0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10", "20")
SENSITIVITIES = (1, 7, 100, 1000)
DELTA = Fraction(1, 10**6)
REPETITIONS = 3

Maker = Callable[[int, Fraction], LatticeLaw]

MAKERS: dict[str, Maker] = {
    "DiscreteLaplace": lambda s, e: DiscreteLaplace(scale=s / e),
    "Staircase": lambda s, e: Staircase(sensitivity=s, epsilon=e, width=(s + 1) // 2),
    "Uniform": lambda s, e: Uniform(sensitivity=s, delta=e / 100),
    "Canonical": lambda _, e: Canonical(epsilon=e, delta=DELTA),
    "TruncatedStaircase": lambda s, e: TruncatedStaircase(
        sensitivity=s, epsilon=e, delta=DELTA, width=(s + 1) // 2
    ),
    "TruncatedLaplace": lambda s, e: TruncatedLaplace(sensitivity=s, epsilon=e, delta=DELTA),
    "DiscreteGaussian": lambda s, e: DiscreteGaussian(variance=(s / e) ** 2),
}


def construction_rows() -> Iterator[Row]:
    """The slowest and the largest law over the ordinary parameters, first draw included."""
    cases = [(s, Fraction(e)) for s in SENSITIVITIES for e in EPSILONS]
    for name, make in MAKERS.items():
        times = {case: _quickest(make, *case) for case in cases}
        sizes = {case: bytes_kept(partial(_ready, make, *_nudged(*case))) for case in cases}
        slow, large = max(cases, key=times.__getitem__), max(cases, key=sizes.__getitem__)
        time, busy = (clock * 1e3 for clock in times[slow])
        size = sizes[large] / 2**20
        peer = f"worst {_at(*slow)}; processor time {busy:.3g} ms"
        title = f"{name}, made and drawn once"
        yield Row(title, f"{time:.3g} ms", peer, time, "ms", "at most", 50)
        peer = f"worst {_at(*large)}"
        yield Row(f"{name}, memory kept", f"{size:.3g} MB", peer, size, "MB", "at most", 64)


def _at(sensitivity: int, epsilon: Fraction) -> str:
    return f"at sensitivity {sensitivity}, ε = {float(epsilon):g}"


def _ready(make: Maker, sensitivity: int, epsilon: Fraction) -> LatticeLaw:
    law = make(sensitivity, epsilon)
    law.sample(1)
    return law


def _quickest(make: Maker, sensitivity: int, epsilon: Fraction) -> tuple[float, float]:
    # No two repetitions share a parameter, so none profits from what another left in a cache.
    nudged = [epsilon * (1 - Fraction(turn, 997)) for turn in range(REPETITIONS)]
    return min(clocks(partial(_ready, make, sensitivity, e)) for e in nudged)


def _nudged(sensitivity: int, epsilon: Fraction) -> tuple[int, Fraction]:
    """A law like it that nobody has made before: tables of equal laws are kept once."""
    return sensitivity, epsilon * Fraction(990, 991)


def import_rows() -> Iterator[Row]:
    """`import leastnoise` in a fresh interpreter, the interpreter's own start taken off."""
    programs = {"leastnoise": "import leastnoise", "numpy": "import numpy", "empty": "pass"}
    times = best({name: _running(program) for name, program in programs.items()}, 15, perf_counter)
    cost, numpy = ((times[name] - times["empty"]) * 1e3 for name in ("leastnoise", "numpy"))
    peer = f"of which NumPy: {numpy:.3g} ms"
    yield Row("import leastnoise", f"{cost:.3g} ms", peer, cost, "ms", "at most", 200)


def _running(program: str) -> Work:
    return partial(subprocess.run, [sys.executable, "-c", program], check=True)
