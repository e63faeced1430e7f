"""One-way marginals of wide tables of bits: errors beside the usual noise, time and memory."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from benchmarks.isolated import Job, run
from benchmarks.row import Row
from benchmarks.timing import best, clocks
from leastnoise.privacy.guarantee import ZCDP, ApproxDP
from leastnoise.tabulation.bit_table import column_sums
from leastnoise.tabulation.marginals_asked import marginals, worst_case_error
from leastnoise.tabulation.noise_family import NoiseFamily
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.summed_columns import ColumnSums

ROWS, COLUMNS = 10**6, 1000
MANY = 10**6
REPETITIONS = 3
SIZES = ((2048, 675), (131_072, 5000))


def marginal_rows() -> Iterator[Row]:
    """Errors before data, then the clock and the memory."""
    yield from _pure_rows()
    yield from _bounded_rows()
    yield from _hidden_rows()
    yield from _repaired_rows()
    yield from _time_rows()
    yield from _memory_rows()


def _pure_rows() -> Iterator[Row]:
    cube, laplace = (
        float(worst_case_error(columns=1000, confidence="0.95", epsilon=1, mechanism=kind).upper)
        for kind in (NoiseFamily.CUBE, NoiseFamily.LAPLACE)
    )
    case = "1000 counts, ε = 1, worst error at 95 %"
    yield Row(case, f"{cube:g}", f"independent Laplace: {laplace:g}", laplace / cube, target=9)
    cube, laplace = (
        math.ceil(
            2
            * worst_case_error(columns=100, confidence="0.95", epsilon=1, mechanism=kind).upper
            / Fraction("0.05")
        )
        for kind in (NoiseFamily.CUBE, NoiseFamily.LAPLACE)
    )
    case = "100 means of ±1 within 0.05 at 95 %, ε = 1, rows needed"
    peer = f"independent Laplace: {laplace}; Steinke and Ullman's theorem: 8000"
    yield Row(case, f"{cube}", peer, cube, "rows", "at most", 4680)


def _bounded_rows() -> Iterator[Row]:
    target = ApproxDP(epsilon=1, delta="1e-6")
    for columns, limit in SIZES:
        case = f"{columns} counts, ε = 1, δ = 1e-6"
        found: list[Perturbation] = []
        seconds = clocks(lambda: found.append(_noise(NoiseFamily.BOUNDED, columns, target)))[1]  # noqa: B023
        radius = found[0].worst.quantile(1).upper
        rival = _noise(NoiseFamily.GAUSSIAN, columns, target)
        peer = f"Gaussian, 99.9 %: {float(rival.worst.quantile('0.999')):g}"
        title = f"{case}, error never exceeded"
        yield Row(title, f"{radius}", peer, float(radius), "counts", "at most", limit)
        ours, theirs = (float(noise.cost(Objective.MAX)) for noise in (found[0], rival))
        peer = f"Gaussian: {theirs:.5g}"
        yield Row(f"{case}, expected worst error", f"{ours:.5g}", peer, theirs / ours)
        title = f"{case}, time to find the noise"
        yield Row(title, f"{seconds:.3g} s", "–", seconds, "s", "at most", 5)


def _noise(
    family: NoiseFamily, columns: int, target: ApproxDP | ZCDP, *, centred: bool = False
) -> Perturbation:
    return family.perturbation(columns, target, Objective.MAX, centred=centred)


def _hidden_rows() -> Iterator[Row]:
    """What releasing the number of rows as well saves, where it is secret."""
    target = ApproxDP(epsilon=1, delta="1e-6")
    for family in (NoiseFamily.CUBE, NoiseFamily.BOUNDED):
        both, alone = (
            float(_noise(family, 2048, target, centred=centred).worst.quantile("0.95").upper)
            for centred in (True, False)
        )
        case = f"2048 counts, rows added or removed, {family.value} noise, worst error at 95 %"
        yield Row(case, f"{both:g}", f"without noisy number of rows: {alone:g}", alone / both)


def _repaired_rows() -> Iterator[Row]:
    """The sparse vector's repairs, which pay where bounded noise is not allowed."""
    target = ZCDP(rho="0.5")
    for power in (14, 16, 20):
        ours, plain = (
            float(_noise(family, 1 << power, target).worst.quantile("0.95").upper)
            for family in (NoiseFamily.REPAIRED, NoiseFamily.GAUSSIAN)
        )
        case = f"2^{power} counts, ρ = 0.5, repaired Gaussian noise, worst error at 95 %"
        yield Row(case, f"{ours:g}", f"Gaussian: {plain:g}", plain / ours)


def _table() -> NDArray[np.uint8]:
    """A table of random bits, filled piece by piece."""
    generator = np.random.default_rng()
    table = np.empty((ROWS, COLUMNS), dtype=np.uint8)
    for start in range(0, ROWS, 10_000):
        packed = generator.integers(0, 256, (10_000, COLUMNS // 8), dtype=np.uint8)
        table[start : start + 10_000] = np.unpackbits(packed, axis=1)
    return table


def _time_rows() -> Iterator[Row]:
    """Counting beside NumPy; all the rest beside counting."""
    table = _table()
    sums = column_sums(table)
    times = best(
        {"ours": lambda: column_sums(table), "NumPy": lambda: table.sum(axis=0)}, REPETITIONS
    )
    case = f"{ROWS:,} × {COLUMNS} bits"
    peer = f"NumPy's sum: {times['NumPy']:.3g} s"
    ours = f"{times['ours']:.3g} s"
    ratio = times["ours"] / times["NumPy"]
    yield Row(f"{case}, counted and checked", ours, peer, ratio, sense="at most", target=1)
    for name, delta in (("ε = 1", "0"), ("ε = 1, δ = 1e-6", "1e-6")):
        first = clocks(lambda: _released(sums, delta))[1]  # noqa: B023
        later = best({"": lambda: _released(sums, delta)}, 20)[""]  # noqa: B023
        for when, seconds, target in (("first time", first, None), ("later", later, 0.05)):
            title = f"{case}, {name}, noise and bookkeeping, {when}"
            mine = f"{seconds * 1e3:.3g} ms"
            ratio = seconds / times["NumPy"]
            yield Row(title, mine, peer, ratio, sense="at most", target=target)


def _released(sums: ColumnSums, delta: str) -> object:
    return marginals(sums, epsilon=1, delta=delta)


def _memory_rows() -> Iterator[Row]:
    """A million columns in a process of its own."""
    for name, delta in (("ε = 1", "0"), ("ε = 1, δ = 1e-6", "1e-6")):
        outcome = run(Job("marginals", "million", (delta,)))
        mine = f"{outcome.megabytes:.0f} MB, {outcome.seconds:.3g} s"
        peer = outcome.failure or f"worst error at 95 %: {outcome.values[0]:g}"
        title = f"{MANY:,} columns, {name}, peak memory"
        yield Row(title, mine, peer, outcome.megabytes, "MB", "at most", 2048)


def million(delta: str) -> tuple[float, ...]:
    """Release a million counts; the worst error at 95 %."""
    sums = ColumnSums(np.full(MANY, 5), records=10)
    release = marginals(sums, epsilon=1, delta=delta)
    return (float(release.error("0.95").upper),)
