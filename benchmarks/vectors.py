"""One draw of noise in many dimensions."""

from collections.abc import Iterator

import numpy as np

from benchmarks.row import Row
from benchmarks.timing import best
from leastnoise.noise import NormLaplace

DIMENSION = 100_000
REPETITIONS = 15


def vector_rows() -> Iterator[Row]:
    """Exponential noise in either norm, beside as many uniform floats."""
    generator = np.random.default_rng()
    norms = {
        "ℓ∞": NormLaplace(dimension=DIMENSION, norm="linf", scale=1000),
        "ℓ1": NormLaplace(dimension=DIMENSION, norm="l1", scale=1000),
    }
    for law in norms.values():
        law.sample()
    times = best(
        {name: law.sample for name, law in norms.items()}
        | {"": lambda: generator.random(DIMENSION)},
        REPETITIONS,
    )
    for name in norms:
        yield Row(
            f"NormLaplace {name}, d = {DIMENSION:,}, one draw",
            f"{times[name] * 1e3:.3g} ms",
            f"NumPy, {DIMENSION:,} uniforms: {times[''] * 1e3:.3g} ms",
            times[name] / times[""],
            sense="at most",
            target=50 if name == "ℓ∞" else None,
        )
