"""Exact one-dimensional laws against OpenDP's exact samplers and NumPy's inexact ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import exp

import numpy as np
import opendp.prelude as dp

from benchmarks.row import Row, rate
from benchmarks.timing import Work, best
from leastnoise.noise import DiscreteGaussian, DiscreteLaplace, LatticeLaw, Staircase

DRAWS = 1_000_000
OPENDP_DRAWS = 100_000
REPETITIONS = 5

dp.enable_features("contrib")


@dataclass(frozen=True)
class Peers:
    """What others need for `DRAWS` (NumPy) or `OPENDP_DRAWS` samples, and how fast we should be."""

    opendp: Work
    opendp_target: float
    numpy: Work
    numpy_target: float | None


def laplace_rows() -> Iterator[Row]:
    """Discrete Laplace and staircase noise of several scales."""
    generator = np.random.default_rng()
    for scale in (1, 10, 1_000, 10**9):
        width = max(1, round(scale / (1 + exp(0.5))))
        laws = {
            "DiscreteLaplace": DiscreteLaplace(scale=scale),
            "Staircase": Staircase(sensitivity=scale, epsilon=1, width=width),
        }
        peers = Peers(
            opendp=_opendp(dp.m.make_laplace, dp.l1_distance(T=int), scale),
            opendp_target=300,
            numpy=partial(generator.laplace, 0, scale, DRAWS),
            numpy_target=0.8 if scale == 10 else 0.3,
        )
        yield from _rows(f"scale {scale:g}", laws, peers)


def gaussian_rows() -> Iterator[Row]:
    """Discrete Gaussian noise of several widths."""
    generator = np.random.default_rng()
    for sigma in (1, 10, 1_000, 10**6, 10**9):
        peers = Peers(
            opendp=_opendp(dp.m.make_gaussian, dp.l2_distance(T=int), sigma),
            opendp_target=200,
            numpy=partial(generator.normal, 0, sigma, DRAWS),
            numpy_target=0.3 if sigma == 10 else None,
        )
        law = DiscreteGaussian(variance=sigma**2)
        yield from _rows(f"σ {sigma:g}", {"DiscreteGaussian": law}, peers)


def _opendp(make: Callable[..., Callable[[list[int]], object]], metric: object, scale: int) -> Work:
    noise = make(dp.vector_domain(dp.atom_domain(T=int)), metric, scale=float(scale))
    return partial(noise, [0] * OPENDP_DRAWS)


def _rows(case: str, laws: dict[str, LatticeLaw], peers: Peers) -> Iterator[Row]:
    for law in laws.values():
        law.sample(1)  # tables are made on first use; their time is reported elsewhere
    works: dict[str, Work] = {name: partial(law.sample, DRAWS) for name, law in laws.items()}
    times = best({**works, "numpy": peers.numpy, "opendp": peers.opendp}, REPETITIONS)
    exact, inexact = OPENDP_DRAWS / times["opendp"], DRAWS / times["numpy"]
    for name in laws:
        own, title = DRAWS / times[name], f"{name}, {case}"
        peer = f"OpenDP, exact: {rate(exact)}"
        yield Row(title, rate(own), peer, own / exact, target=peers.opendp_target)
        peer = f"NumPy, inexact: {rate(inexact)}"
        yield Row(title, rate(own), peer, own / inexact, target=peers.numpy_target)
