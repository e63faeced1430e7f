r"""Searches in floats, of designs and of certificates. They prove nothing, and none is trusted.

From a promised error to a design: `DesignError.is_at_most` proves what is found, and a design that
fails is made a little more careful and tried again. From a design to a certificate of how small its v
is: `bound` checks it, and imports nothing from here.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log1p, log2

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import written
from leastnoise.numbers.inverse import bracket
from leastnoise.relative.bound import (
    KIND,
    RIVALS,
    floor_of_all,
    greatest,
    is_below_spectrum,
    verdict,
)
from leastnoise.relative.design import WORD, Chain, Channel, Design
from leastnoise.relative.error import DesignError

Floats = NDArray[np.float64]

_FINEST_BITS = 40  # places of 2^62 still fit into 53 bits
_MOST_NOISE_BITS = 39.9  # a deviation stays below 2^40 steps
_TRIES = ((16, 1.002, 1.0), (14, 1.004, 0.999), (12, 1.01, 0.99), (9, 1.03, 0.98), (4, 1.2, 0.9))
"""2^-bits of the error kept back for the lattice and rounding; factors of gaps and of chances."""
_LAST_ERROR = 2.5  # gaps are listed up to this error,
_MOST_GAPS = 600  # and at most so many
_LONGEST_CHAIN = 1 << 16
_CHAIN_ERROR = 1.2  # beyond it the channel is the better one, at every relative error


@lru_cache(maxsize=64)
def find_design(relative_error: Fraction, smallest: int, slack: Fraction) -> Design:
    """The best design known with E|estimate - x| <= relative_error*(x + slack) for x >= smallest."""
    first = smallest + slack
    if _CHAIN_ERROR / relative_error - first > _LONGEST_CHAIN:
        raise InvalidInput(
            f"relative_error is {written(relative_error)}, too small for groups of {smallest}: they "
            "would have no privacy. Give a larger error, or a larger smallest."
        )
    for design in _candidates(relative_error, smallest, slack):
        if DesignError(design).is_at_most(relative_error):
            return design
    raise Undecided("No design was proved to keep this error. Give a slightly different one.")


def _candidates(error: Fraction, smallest: int, slack: Fraction) -> Iterator[Design]:
    """Designs in the order in which they are wanted: ever more careful, at last without a chain."""
    kept = [error * (1 - Fraction(1, 1 << bits)) for bits, _, _ in _TRIES]
    plain = [Channel(*_noise(each, slack), smallest) for each in kept]
    for channel, (_, widening, shrinking) in zip(plain, _TRIES, strict=True):
        chances = chain_chances(float(error), float(smallest + slack), float(channel.sigma))
        words = tuple(int(chance * WORD) for chance in chances * shrinking)
        higher = replace(channel, first=smallest + len(words))
        yield _joined(_bent(higher, float(error), widening), smallest, words)
    yield from (_joined(channel, smallest, ()) for channel in plain)


def _noise(error: Fraction, offset: Fraction) -> tuple[int, Fraction, int]:
    """Bits of the lattice, and the deviation whose real-valued estimates err so much."""
    with balls.precision(balls.FIRST_BITS):
        sigma = float(balls.ball(1 - error).erfcinv()) * 2**0.5
    bits = min(_FINEST_BITS, floor(_MOST_NOISE_BITS - log2(sigma)))
    return bits, offset, floor(sigma * 2.0**bits)


def _bent(channel: Channel, error: float, widening: float) -> Channel:
    """The channel with gaps listed up to where logarithms are as good."""
    last = min(int(_LAST_ERROR / error), channel.first + _MOST_GAPS)
    counts = range(channel.first + 1, last + 1)
    if not counts:
        return channel
    sizes = np.array(counts, dtype=np.float64) + float(channel.offset)
    wide = needed_gaps(error, sizes, float(channel.sigma)) * widening * channel.deviation
    steps, least = np.maximum.accumulate(wide[::-1])[::-1], channel.log_gap(last + 1)
    gaps = (
        max(min(channel.log_gap(x), int(step)), least)
        for x, step in zip(counts, steps, strict=True)
    )
    return replace(channel, gaps=tuple(gaps))


def _joined(channel: Channel, smallest: int, words: tuple[int, ...]) -> Design:
    """The chain joined to the channel: its last chance is made that of sinking from the top."""
    if not words:
        return Design(Chain(smallest, ()), channel, 0)
    with balls.precision(balls.FIRST_BITS):
        depth = float(balls.ball(2 * Fraction(words[-1], WORD)).erfcinv()) * 2**0.5
    steps = ceil(-depth * channel.deviation) + 1
    sunk = Fraction(channel.noise.tail(1 - steps).lower)
    met = min(floor(sunk * WORD), WORD // 2)
    return Design(Chain(smallest, (*words[:-1], met)), channel, channel.table[0] + steps)


# How far apart counts must lie


def needed_gaps(error: float, counts: Floats, sigma: float) -> Floats:
    """Gaps below the counts n = x + offset, in standard deviations: the lesser of two kinds.

    Logarithms need ln(n/(n-1))/sigma. Where the error is about one it helps that counts are integers,
    and an even line needs less; but the first few counts are far from evenly apart.
    """
    gaps = np.log(counts / (counts - 1)) / sigma
    errors = error * (counts - 0.5)
    even = (counts >= 6) & (errors <= 4)
    gaps[even] = np.minimum(gaps[even], even_gaps(errors[even]))
    return gaps


def even_gaps(errors: Floats) -> Floats:
    """The gap s with E|nearest - x| = error on an even line: 2 * sum of P(Z > (m - 1/2)*s).

    >>> even_gaps(np.array([0.05, 1.0])).round(4)
    array([3.9199, 0.7774])
    """
    from scipy.special import ndtr

    # The sum is at least 0.79/s - 1/2, so the gap is at least 0.79/(error + 1/2).
    low, high = 0.79 / (errors + 0.5), np.full(errors.size, 40.0)
    middles = np.arange(0.5, 10 / low.min(initial=1.0) + 1)
    for _ in range(60):
        gaps = (low + high) / 2
        too_wide = 2 * ndtr(-np.outer(gaps, middles)).sum(axis=1) < errors
        low, high = np.where(too_wide, low, gaps), np.where(too_wide, gaps, high)
    return high


# Chances of the chain


def chain_chances(error: float, first: float, sigma: float) -> Floats:
    """Chances for the borders above the first count, each as large as the errors allow.

    The chain ends where the channel becomes the better one; it is empty if that is at the beginning.
    The promise is E|estimate - x| <= error*(x + offset), `first` is x + offset of the least count.
    """
    most = ceil(_CHAIN_ERROR / error - first) + 1
    if most <= 0:
        return np.empty(0)
    above = np.arange(most + 1, dtype=np.float64) + (first + 1)
    channel = needed_gaps(error, above, sigma) ** 2 / 2
    worse = rho(_balanced(error, first, channel[: most + 1], sigma)) > channel[:most]
    length = int(np.argmax([*worse, True])) + 1
    for borders in range(min(length, most), 0, -1):
        chances = _balanced(error, first, channel[: borders + 1], sigma)
        if np.all(rho(chances) <= channel[:borders]):
            return chances
    return np.empty(0)


def rho(chances: Floats) -> Floats:
    """(1-2u)*ln((1-u)/u): what a coin that is wrong with chance u costs."""
    return (1 - 2 * chances) * np.log((1 - chances) / chances)


def _chance_of(least: float) -> float:
    """The u whose cost is the given one; beyond it nothing is gained, for v must not grow."""
    low, high = 0.0, 0.5
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rho(np.array(middle)) > least else (low, middle)
    return low


def _balanced(error: float, first: float, channel: Floats, sigma: float) -> Floats:
    """Chances for a chain that ends before the last of these channel's costs, as the errors allow."""
    borders, greatest_chance = channel.size - 1, _chance_of(float(channel[-1]))
    budgets: Floats = error * (1 - 2.0**-14) * (first + np.arange(borders, dtype=np.float64))
    beyond = _mean_excess(error, first + borders, sigma)
    wide = budgets + error / 2
    # Two-sided geometric noise of this mean error.
    u = np.minimum((1 + wide - np.sqrt(1 + wide * wide)) / 2, greatest_chance)
    levels = np.ones(borders), np.ones(borders)
    for round_number in range(150):
        for _ in range(3 if round_number else 60):
            levels = _levels(u, *levels, beyond)
        left = budgets / _errors(u, *levels)
        if borders > 1:  # the two counts of a border share what they have left
            left = np.concatenate([left[1:2], np.sqrt(left[1:-1] * left[2:]), left[-1:]])
        u = np.minimum(u * np.sqrt(left), greatest_chance)
    if borders > 1:  # the first two chances made equal: the least loss for the smallest groups
        common = min(budgets[1] / (1 + levels[0][1]), budgets[0] / levels[0][0])
        if u[0] < common < u[1]:
            u[:2] = common
    u = np.minimum.accumulate(u[::-1])[::-1]
    for _ in range(4):
        levels = np.ones(borders), np.ones(borders)
        for _ in range(60):
            levels = _levels(u, *levels, beyond)
        u = u * min(1.0, float(np.min(budgets / _errors(u, *levels))))
    return u


def _mean_excess(error: float, top: float, sigma: float) -> float:
    """E(estimate - top)+ of the channel at its first count: 200 borders, then a formula."""
    from scipy.special import ndtr

    gaps = needed_gaps(error, np.arange(200, dtype=np.float64) + (top + 1), sigma)
    places = np.concatenate([[0.0], np.cumsum(gaps)])
    near = float(ndtr(-((places[:-1] + places[1:]) / 2 + sigma)).sum())
    place = np.log1p(200 / top) / sigma + sigma
    far = top * np.exp(-(sigma**2) / 2) * ndtr(sigma - place) - (top + 200) * ndtr(-place)
    return near + max(float(far), 0.0)


def _levels(u: Floats, up: Floats, down: Floats, beyond: float) -> tuple[Floats, Floats]:
    """One step towards the mean numbers of levels gone by walks that cross a border."""
    return (
        np.append(1 + u[1:] / (1 - u[:-1]) * up[1:], 1 + beyond / (1 - u[-1])),
        np.append(1.0, 1 + u[:-1] / (1 - u[1:]) * down[:-1]),
    )


def _errors(u: Floats, up: Floats, down: Floats) -> Floats:
    errors: Floats = u * up
    errors[1:] += u[:-1] * down[:-1]
    return errors


# Certificates


@lru_cache(maxsize=64)
def certify(design: Design, relative_error: Fraction) -> Certificate:
    """The certificate for a range of sizes where the two sides are close."""
    slack = design.channel.offset
    # Where the two sides are about closest, found by trying.
    r = float(relative_error)
    first = max(design.channel.bend, 2, ceil(min(2000 / r, 30 / r**2.5, 2e8)))
    last = max(floor(6e9 * r), 4 * first)
    level, multiplier, ends = best_level(relative_error)
    with balls.precision(balls.FIRST_BITS):
        achieved = balls.exact_value(greatest(design.channel, first, last).upper())
        found = floor_of_all((level, multiplier), relative_error, first + slack, last + slack)
        bound = max(balls.exact_value(found.lower()), Fraction(0))
    achieved, bound = Fraction(ceil(achieved * 2**40), 2**40), Fraction(floor(bound * 2**40), 2**40)
    claim = {
        "relative_error": str(relative_error), "smallest": design.chain.first, "slack": str(slack),
        "above": first, "up_to": last, "achieved": str(achieved), "bound": str(bound),
        "rivals": RIVALS, "verdict": verdict(achieved, bound),
    }  # fmt: skip
    witness = {
        "design": {
            "bits": design.channel.bits, "deviation": design.channel.deviation,
            "threshold": design.threshold, "chances": list(design.chain.chances),
            "gaps": list(design.channel.gaps),
        },
        "level": str(level), "multiplier": str(multiplier),
        "left": str(ends[0]), "right": str(ends[1]),
    }  # fmt: skip
    return Certificate(KIND, claim, witness)


@lru_cache(maxsize=256)
def best_level(error: Fraction) -> tuple[Fraction, Fraction, tuple[Fraction, Fraction]]:
    """About the best level for this error that is proved, with a multiplier and ends.

    The multiplier 1.2533/error^3 is close to the best for all errors, for the bound is flat there.

    >>> level, multiplier, _ = best_level(Fraction(1, 10))
    >>> round(float(level - multiplier / 10), 2)
    62.05
    """
    r = min(float(error), 0.999)
    multiplier = Fraction(floor(2**20 * 1.2533 / r**3), 2**20)
    # Further to the left than 30 the potential is 1 for all purposes.
    ends = Fraction(min(-14 * log1p(-r) * (1 + r), 30.0)), Fraction(min(9 * r, 6.0))

    def is_proved(level: Fraction) -> bool:
        return is_below_spectrum(level, multiplier, ends)

    found = bracket(is_proved, Fraction(0), 2 * error * multiplier, bits=21)
    return Fraction(found.lower), multiplier, ends
