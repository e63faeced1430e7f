"""Famous broken mechanisms, each beside its right version.

Each was once believed, published or shipped, or is one slip away from one that was. An exhibit is
audited for one promise: the broken version must be found, the right one must not be accused. Where laws
are known the verdict is a proof. Else outputs are drawn with a fixed seed, and whatever the seed, the
right version is accused with a chance of at most 10^-6.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from leastnoise.auditing.audit import audit
from leastnoise.auditing.evidence import Audit
from leastnoise.mechanisms.response import randomized_response
from leastnoise.mechanisms.selection import exponential_mechanism, permute_and_flip
from leastnoise.noise import DiscreteLaplace, RoundedGaussian, Staircase, TruncatedLaplace, Uniform
from leastnoise.privacy.calibration import gaussian_sigma
from leastnoise.privacy.loss import PrivacyLoss

Law = dict[Any, F]
Draw = Callable[..., Any]


@dataclass(frozen=True)
class Exhibit:
    """A broken thing and its right version.

    Attributes:
        fault: what is wrong.
        broken: a law, a loss, a pair of laws or a mechanism; or, with samples, from a generator to a
            function of the data.
        right: the same done right.
        promise: what both promise, and what belongs to it.
        neighbours: two inputs, where functions are audited.
        samples: how many outputs are drawn; 0 for a proof.
        vectorised: whether the functions take size=.
    """

    fault: str
    broken: Any
    right: Any
    promise: dict[str, Any]
    neighbours: tuple[Any, Any] | None = None
    samples: int = 0
    vectorised: bool = False

    def audited(self, which: str, *, sequential: bool = False, seed: int = 1) -> Audit:
        """What an audit says of the broken or of the right version."""
        subject = getattr(self, which)
        if self.samples:
            subject = subject(np.random.default_rng(seed))
        return audit(
            subject,
            neighbours=self.neighbours,
            samples=self.samples or 40,
            sequential=sequential,
            vectorised=self.vectorised,
            **self.promise,
        )


EXHIBITS: dict[str, Exhibit] = {}
LOG_TWO = "0.7"  # a little above log 2: weights that halve promise this


def geometric(rng: Generator, rate: float, size: Any = None) -> NDArray[np.int64]:
    """Two-sided geometric noise: chances in proportion to e^(-rate*|k|)."""
    fall = -math.expm1(-rate)
    return np.asarray(rng.geometric(fall, size) - rng.geometric(fall, size))


def halving(start: int, least: int, most: int) -> Law:
    """Weights 2^-|k - start| on least .. most."""
    return {k: F(1, 2 ** abs(k - start)) for k in range(least, most + 1)}


# Noise of the wrong law or size: proofs

EXHIBITS["geometric noise a tenth too small"] = Exhibit(
    "The rate is a tenth above epsilon/sensitivity.",
    DiscreteLaplace("0.55"), DiscreteLaplace("0.5"), {"epsilon": 1, "sensitivity": 2},
)  # fmt: skip
EXHIBITS["staircase of the wrong width"] = Exhibit(
    "Steps of 4 for a sensitivity of 5: some neighbours are two drops apart.",
    Staircase(4, 1, 2), Staircase(5, 1, 2), {"epsilon": 1, "sensitivity": 5},
)  # fmt: skip
EXHIBITS["noise cut off and called pure"] = Exhibit(
    "Laplace noise that ends, sold with delta = 0: an end has one origin only.",
    TruncatedLaplace(1, 1, "1e-9"), DiscreteLaplace(1), {"epsilon": 1, "sensitivity": 1},
)  # fmt: skip
EXHIBITS["bounded noise of tables"] = Exhibit(
    "Even noise between -2 and 2, as some offices add to cells.",
    Uniform(1, "0.2"), Uniform(1, "0.001"), {"epsilon": 5, "delta": "0.001", "sensitivity": 1},
)  # fmt: skip
EXHIBITS["classical Gaussian at epsilon 10"] = Exhibit(
    "sqrt(2*log(1.25/delta))/epsilon is proved for epsilon < 1 (Balle and Wang 2018).",
    PrivacyLoss.gaussian(mu=F(10) / F(math.sqrt(2 * math.log(1.25e5)))),
    PrivacyLoss.gaussian(mu=1 / F(gaussian_sigma(epsilon=10, delta="1e-5", sensitivity=1).upper)),
    {"epsilon": 10, "delta": "1e-5"},
)
EXHIBITS["sigma of one for each of 16"] = Exhibit(
    "Each of 16 numbers gets the noise of one, though one person moves them all.",
    PrivacyLoss.gaussian(mu="0.2").self_compose(16),
    PrivacyLoss.gaussian(mu="0.05").self_compose(16),
    {"epsilon": 1, "delta": "1e-6"},
)
EXHIBITS["half of the variance that rho needs"] = Exhibit(
    "The variance is half of the 1/(2*rho) that rho needs.",
    RoundedGaussian(1), RoundedGaussian(2), {"rho": "0.25", "sensitivity": 1},
)  # fmt: skip
EXHIBITS["name and shame"] = Exhibit(
    "One record in a hundred is published in full and called a small epsilon.",
    ({"nothing": 99, "sick": 1}, {"nothing": 99, "well": 1}),
    ({"sick": 27, "well": 10}, {"sick": 10, "well": 27}),
    {"epsilon": 1},
)
EXHIBITS["drawn again until it is not negative"] = Exhibit(
    "How often noise is drawn again depends on the truth, and so does every chance after it.",
    (halving(0, 0, 60), halving(1, 0, 60)),
    # Right: what is negative is published as 0.
    ({0: 2, **halving(0, 1, 60), 61: F(1, 2**60)}, {0: 1, **halving(1, 1, 60), 61: F(1, 2**59)}),
    {"epsilon": LOG_TWO},
)
EXHIBITS["flips that miss the last bit"] = Exhibit(
    "Randomized response of two bits draws one flip: the last bit is told as it is.",
    ({"00": 27, "10": 10}, {"01": 27, "11": 10}),
    ({"00": 729, "01": 270, "10": 270, "11": 100}, {"00": 270, "01": 729, "10": 100, "11": 270}),
    {"epsilon": 1},
)
EXHIBITS["a lie among too few categories"] = Exhibit(
    "Randomized response made for epsilon 2 is sold as epsilon 1.",
    randomized_response(epsilon=2, categories=3), randomized_response(epsilon=1, categories=3),
    {"epsilon": 1},
)  # fmt: skip
EXHIBITS["exponential mechanism without the 2"] = Exhibit(
    "Utilities move up and down, and the rate is that of utilities which only move up.",
    exponential_mechanism(candidates=3, epsilon=2), exponential_mechanism(candidates=3, epsilon=1),
    {"epsilon": 1},
)  # fmt: skip
EXHIBITS["permute and flip without the 2"] = Exhibit(
    "The same for permute and flip.",
    permute_and_flip(candidates=3, epsilon=2), permute_and_flip(candidates=3, epsilon=1),
    {"epsilon": 1},
)  # fmt: skip


def published(threshold: int) -> tuple[Law, Law]:
    """Whether a group of one person, and of nobody, is published from a noisy count on."""
    chance = F(DiscreteLaplace(1).tail(threshold - 1).lower)
    return {"listed": chance, "hidden": 1 - chance}, {"hidden": F(1)}


EXHIBITS["threshold of groups too low"] = Exhibit(
    "Groups at the threshold are listed, and delta was computed for those beyond it.",
    published(12), published(13), {"epsilon": 1, "delta": "5e-6"},
)  # fmt: skip

# Floating point and sources of noise: samples

ONE: dict[str, Any] = {"epsilon": 1}
EASY: dict[str, Any] = {"neighbours": (0, 1), "samples": 8_000, "vectorised": True}


def rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """To whole multiples of 2^-10: what a float of this size says beyond them is lost."""
    return np.rint(values * 1024) / 1024


def own_seed(_: Generator) -> Draw:
    return lambda x: x + geometric(np.random.default_rng(12345), 1)


def cached(rng: Generator) -> Draw:
    """One noise for both totals."""

    def release(x: int, *, size: int) -> Any:
        noise = geometric(rng, 0.5, size)
        return np.stack([x + noise, 5 + noise], axis=1)

    return release


EXHIBITS["Laplace noise in floats"] = Exhibit(
    "A sum in floating point keeps low bits of the noise that the truth decides (Mironov 2012).",
    lambda rng: lambda x, size: x + rng.laplace(0, 1, size),
    lambda rng: lambda x, size: rounded(x + rng.laplace(0, 1, size)),
    ONE, **EASY,
)  # fmt: skip
EXHIBITS["Gaussian noise in floats"] = Exhibit(
    "The same of Gaussian noise: next to 0 there are more floats than next to 1.",
    lambda rng: lambda x, size: x + rng.normal(0, 5, size),
    lambda rng: lambda x, size: rounded(x + rng.normal(0, 5, size)),
    {"epsilon": 1, "delta": "1e-4"}, (0, 1), 40_000, True,
)  # fmt: skip
EXHIBITS["noise with a fixed seed"] = Exhibit(
    "A seed for repeatable tests stayed in: the noise is a known constant.",
    own_seed, lambda rng: lambda x: x + geometric(rng, 1), ONE, (0, 1), 4_000,
)  # fmt: skip
EXHIBITS["noise used twice"] = Exhibit(
    "Two totals share their noise: their difference is exact.",
    cached,
    lambda rng: lambda x, size: np.array([x, 5]) + geometric(rng, 0.5, (size, 2)),
    ONE, **EASY,
)  # fmt: skip
EXHIBITS["scale taken for a rate"] = Exhibit(
    "The scale 2 was passed where a rate is expected: the noise has scale 1/2.",
    lambda rng: lambda x, size: x + geometric(rng, 2, size),
    lambda rng: lambda x, size: x + geometric(rng, 0.5, size),
    {"epsilon": "0.5"}, **EASY,
)  # fmt: skip


def as_large_as_the_data(rng: Generator) -> Draw:
    return lambda data, size: sum(data) + rng.integers(-1, 2, size) * (max(data) - min(data))


EXHIBITS["bounds taken from the data"] = Exhibit(
    "Values are clamped to their own range, and the noise is as wide as that.",
    as_large_as_the_data,
    lambda rng: lambda data, size: sum(np.clip(data, 0, 10)) + geometric(rng, 0.1, size),
    ONE, ([5, 5, 5], [5, 5, 10]), 4_000, True,
)  # fmt: skip
EXHIBITS["noise clamped into the range"] = Exhibit(
    "Noise is clamped before it is added: its ends are atoms that show the truth.",
    lambda rng: lambda x, size: x + np.clip(geometric(rng, 1, size), -2, 2),
    lambda rng: lambda x, size: np.clip(x + geometric(rng, 1, size), -2, 2),
    ONE, **EASY,
)  # fmt: skip


def clamped_mean(data: Sequence[float], rng: Generator) -> float:
    total = sum(min(max(x, 0.0), 1.0) if x == x else x for x in data)
    return float(np.rint(total + rng.laplace(0, 1)))


EXHIBITS["clamp that lets NaN through"] = Exhibit(
    "No comparison with NaN is true, so clamping does not touch it.",
    lambda rng: lambda data: clamped_mean(data, rng),
    lambda rng: lambda data: clamped_mean([x for x in data if x == x], rng),
    ONE, ([0.5], [0.5, math.nan]), 4_000,
)  # fmt: skip


def strict(rng: Generator) -> Draw:
    def release(data: list[int]) -> int:
        if max(data) > 10:
            raise ValueError("out of range")
        return int(sum(data) + geometric(rng, 0.1))

    return release


EXHIBITS["error that tells"] = Exhibit(
    "A value out of range raises an error, and an error is an output like any other.",
    strict, lambda rng: lambda data: int(sum(np.clip(data, 0, 10)) + geometric(rng, 0.1)),
    ONE, ([3, 4], [3, 11]), 4_000,
)  # fmt: skip
EXHIBITS["histogram of the groups there are"] = Exhibit(
    "Every count gets noise, but only groups with somebody in them are listed.",
    lambda rng: lambda data: {g: n + int(geometric(rng, 1)) for g, n in data.items()},
    lambda rng: lambda data: {g: data.get(g, 0) + int(geometric(rng, 1)) for g in "ab"},
    ONE, ({"a": 3}, {"a": 3, "b": 1}), 4_000,
)  # fmt: skip
EXHIBITS["answers as long as the data"] = Exhibit(
    "Randomized response on a list whose length is not public.",
    lambda rng: lambda bits: [int(bit ^ (rng.random() < 0.3)) for bit in bits],
    lambda rng: lambda bits: [int(bit ^ (rng.random() < 0.3)) for bit in [*bits, 0, 0][:2]],
    ONE, ([1], [1, 0]), 4_000,
)  # fmt: skip


# Sparse vectors: whether each of many totals is above 0, one person moving each by up to 1


def sparse(rng: Generator, *, query: float = 0.25, threshold: float = 0.5, most: int = 1) -> Draw:
    """Rates of the noise on the totals and on the threshold, and how many totals may be above.

    Right at epsilon 1 with rates 1/2 and 1/4 and one above (Lyu, Su and Li 2017).
    """

    def release(totals: Sequence[int]) -> list[int]:
        border = geometric(rng, threshold) if threshold else 0
        noise = geometric(rng, query, len(totals)) if query else np.zeros(len(totals))
        above = np.asarray(totals) + noise >= border
        last = np.flatnonzero(above)[most - 1 : most]
        return [int(each) for each in above[: int(last[0]) + 1 if last.size else None]]

    return release


SPARSE: dict[str, tuple[str, dict[str, Any], tuple[list[int], list[int]]]] = {
    "sparse vector without noise on the totals": (
        "Only the threshold is noisy (Stoddard, Chen and Machanavajjhala 2014).",
        {"query": 0}, ([0, 1], [1, 0])),
    "sparse vector without noise on the threshold": (
        "Every total below costs privacy, not only the one above.",
        {"query": 0.5, "threshold": 0}, ([-1] * 8, [0] * 8)),
    "sparse vector without an end": (
        "Any number of totals may be above at the price of one (Chen et al. 2015).",
        {"query": 0.5, "most": 99}, ([0] * 10 + [1] * 10, [1] * 10 + [0] * 10)),
    "sparse vector with too little noise": (
        "Totals and threshold get noise of the rates 2 and 3/2.",
        {"query": 2, "threshold": 1.5}, ([1, -1], [0, 0])),
}  # fmt: skip
for _name, (_fault, _slip, _pair) in SPARSE.items():
    EXHIBITS[_name] = Exhibit(
        _fault,
        lambda rng, slip=_slip: sparse(rng, **slip),
        sparse,
        ONE,
        _pair,
        12_000 if "little" in _name else 8_000,
    )
