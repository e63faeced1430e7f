"""Counts with a relative error: a million groups, and how close to the best the loss is."""

import resource
from collections.abc import Iterator
from functools import partial
from time import perf_counter

import numpy as np

from benchmarks.row import Row, markdown
from benchmarks.timing import best
from leastnoise.groupwise import LogGaussianCounts, RelativeCounts, SpacedCounts

GROUPS = 1_000_000
REPETITIONS = 3
_MEGABYTE = 1 << 10  # of the kilobytes that Linux counts in


def release_rows() -> Iterator[Row]:
    """A million groups of all sizes at once; the memory is that of the whole process."""
    mechanism = RelativeCounts(relative_error="0.05")
    generator = np.random.default_rng()
    kinds = {
        "up to 30": generator.integers(0, 30, GROUPS),
        "up to 10⁶, all scales": np.exp(generator.uniform(0, np.log(1e6), GROUPS)).astype(np.int64),
        "up to 2⁶²": generator.integers(0, 1 << 62, GROUPS),
    }
    mechanism.release(np.arange(100))
    for name, counts in kinds.items():
        seconds = best({"": partial(mechanism.release, counts)}, REPETITIONS)[""]
        yield Row(
            f"Relative counts, {GROUPS:,} groups of {name}",
            f"{seconds:.3g} s",
            f"{GROUPS / seconds / 1e6:.3g} M groups/s",
            seconds,
            unit="s",
            sense="at most",
            target=3,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _MEGABYTE
    yield Row(
        f"Relative counts, {GROUPS:,} groups, peak memory",
        f"{peak:.0f} MB",
        "whole process, counts included",
        peak,
        unit="MB",
        sense="at most",
        target=500,
    )


def design_rows() -> Iterator[Row]:
    """From a promise to a proved design, by the wall."""
    for error in ("0.21", "0.049", "0.013", "0.0017"):
        start = perf_counter()
        mechanism = RelativeCounts(relative_error=error)
        seconds = perf_counter() - start
        yield Row(
            f"Relative counts, r = {error}: designed and proved",
            f"{seconds:.3g} s",
            f"chain up to {mechanism.design.top}",
            seconds,
            unit="s",
            sense="at most",
            target=2,
        )


def loss_rows() -> Iterator[Row]:
    """Losses beside those of other designs and the proved floor."""
    mechanism = RelativeCounts(relative_error="0.1")
    value = float(mechanism.privacy(10**6)) * 0.1**2 * 10**12
    yield Row(
        "Relative counts, r = 0.1: off r²x²·v = 0.3167 at x = 10⁶",
        f"{value:.5f}",
        "floor: 0.3103",
        abs(value - 0.3167),
        unit="in r²x²·v",
        sense="at most",
        target=0.0005,
    )
    for error, target in (("0.01", 1.02), ("0.05", 1.025), ("0.1", 1.03), ("0.2", 1.06)):
        certificate = RelativeCounts(relative_error=error).certificate()
        first, last = certificate.sizes
        yield Row(
            f"Relative counts, r = {error}: v over the least possible",
            f"{float(certificate.value):.6g}",
            f"proved floor, x from {first:,} to {last:,}: {float(certificate.bound):.6g}",
            float(certificate.ratio),
            sense="at most",
            target=target,
        )
    yield from _small_rows()


def _small_rows() -> Iterator[Row]:
    mechanism, logs = (kind(relative_error="0.05") for kind in (RelativeCounts, LogGaussianCounts))
    spaced = SpacedCounts(relative_error="0.05", largest=100)
    for size, target in ((2, 7.9), (5, 3.5), (10, 1.35)):
        yield Row(
            f"Relative counts, r = 0.05: v({size})",
            f"{float(mechanism.privacy(size)):.4g}",
            f"spaced {float(spaced.privacy(size)):.4g}, "
            f"log-Gaussian {float(logs.privacy(size)):.4g}",
            float(mechanism.privacy(size)),
            unit="ρ",
            sense="at most",
            target=target,
        )


def main() -> None:
    """Print these rows alone."""
    rows = [row for topic in (release_rows, design_rows, loss_rows) for row in topic()]
    print(markdown(rows))


if __name__ == "__main__":
    main()
