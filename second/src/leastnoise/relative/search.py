r"""Searches in floats, of designs and of certificates. They prove nothing, and none is trusted.

From a promised error to a design: `DesignError.is_at_most` proves what is found, and a design that
fails is made a little more careful and tried again. From a design to a certificate of how small its v
is: `bound` checks it, and imports nothing from here.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log, log1p, log2, pi

import numpy as np
from numpy.typing import NDArray

from leastnoise.mechanisms.certificate import Certificate
from leastnoise.numbers import ball as balls
from leastnoise.numbers.errors import InvalidInput, Undecided
from leastnoise.numbers.exact import written
from leastnoise.numbers.inverse import least_integer
from leastnoise.relative.bound import (
    KIND,
    RIVALS,
    floor_of_all,
    greatest,
    is_below_spectrum,
    verdict,
)
from leastnoise.relative.design import WORD, Chain, Channel, Design
from leastnoise.relative.error import ChannelError, DesignError

Floats = NDArray[np.float64]

_FINEST_BITS = 40  # places of 2^62 still fit into 53 bits
_MOST_NOISE_BITS = 39.9  # a deviation stays below 2^40 steps
_MARGINS = tuple(Fraction(1, 2**bits) for bits in (16, 14, 12, 9, 6, 4))
"""Shares of the error that are kept back for the lattice and for rounding; tried in turn."""
_CARE = ((1.002, 1.0), (1.004, 0.999), (1.01, 0.99), (1.03, 0.98))
"""Gaps are made so much wider, chances smaller, for what the search neglects."""
_MOST_WIDENING = 1.02  # beyond it all gaps are those of logarithms
_LAST_ERROR = 2.5  # gaps are listed up to this error,
_MOST_GAPS = 600  # and at most so many
_LONGEST_CHAIN = 1 << 16
_CHAIN_ERROR = 1.2  # beyond it the channel is the better one, at every relative error

_STARTS = (20, 50, 100, 200, 500, 1000, 2000, 5000)  # over the error: where a certificate begins
_ENDS = range(24, 38)  # in powers of two: where it ends
_POINTS = 4000  # of the guess of an eigenvalue


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
    """Designs in the order in which they are wanted."""
    for margin in _MARGINS:
        bits, deviation = _noise(error * (1 - margin), slack)
        sigma = deviation / 2.0**bits
        chances = chain_chances(float(error), float(smallest + slack), sigma)
        for widening, shrinking in _CARE:
            words = _words(chances * shrinking)
            plain = Channel(bits, slack, deviation, smallest + len(words))
            yield _joined(_bent(plain, float(error), sigma, widening), smallest, words)
        yield _joined(Channel(bits, slack, deviation, smallest), smallest, ())


def _noise(error: Fraction, offset: Fraction) -> tuple[int, int]:
    """Bits of the lattice, and the greatest deviation whose real-valued estimates err no more."""
    with balls.precision(balls.FIRST_BITS):
        guess = float(balls.ball(1 - error).erfcinv()) * 2**0.5
    bits = min(_FINEST_BITS, floor(_MOST_NOISE_BITS - log2(guess)))

    def too_noisy(deviation: int) -> bool:
        with balls.precision(balls.FIRST_BITS):
            found = ChannelError(Channel(bits, offset, deviation, 1)).relative(1)
            return not found <= balls.ball(error)

    return bits, least_integer(too_noisy, 1, floor(guess * 2.0**bits)) - 1


def _bent(channel: Channel, error: float, sigma: float, widening: float) -> Channel:
    """The channel with gaps listed up to where logarithms are as good."""
    length = min(int(_LAST_ERROR / error) - channel.first, _MOST_GAPS)
    if length <= 0 or widening > _MOST_WIDENING:
        return channel
    counts = np.arange(channel.first + 1, channel.first + length + 1, dtype=np.float64)
    wide = needed_gaps(error, counts + float(channel.offset), sigma) * widening
    steps = np.maximum.accumulate((wide * channel.deviation)[::-1])[::-1]
    least = channel.log_gap(channel.first + length + 1)
    gaps = tuple(
        max(min(channel.log_gap(x), int(step)), least)
        for x, step in enumerate(steps, channel.first + 1)
    )
    return Channel(channel.bits, channel.offset, channel.deviation, channel.first, gaps)


def _words(chances: Floats) -> tuple[int, ...]:
    """Chances as words, made not to fall."""
    found = np.minimum.accumulate(chances[::-1])[::-1] if chances.size else chances
    return tuple(int(chance * WORD) for chance in found)


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

    Args:
        error: the promised E|estimate - x| / (x + offset).
        first: x + offset of the least count.
        sigma: of the channel.
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
    first, last = _range(design.channel, float(relative_error))
    level, multiplier, ends = best_level(relative_error)
    with balls.precision(balls.FIRST_BITS):
        achieved = balls.exact_value(greatest(design.channel, first, last).upper())
        found = floor_of_all((level, multiplier), relative_error, first + slack, last + slack)
        bound = max(balls.exact_value(found.lower()), Fraction(0))
    achieved, bound = Fraction(ceil(achieved * 2**40), 2**40), Fraction(floor(bound * 2**40), 2**40)
    claim = {
        "relative_error": str(relative_error),
        "smallest": design.smallest,
        "slack": str(slack),
        "above": first,
        "up_to": last,
        "achieved": str(achieved),
        "bound": str(bound),
        "rivals": RIVALS,
        "verdict": verdict(achieved, bound),
    }
    described = {
        "bits": design.channel.bits,
        "deviation": design.channel.deviation,
        "threshold": design.threshold,
        "chances": list(design.chain.chances),
        "gaps": list(design.channel.gaps),
    }
    witness = {
        "design": described,
        "level": str(level),
        "multiplier": str(multiplier),
        "left": str(ends[0]),
        "right": str(ends[1]),
    }
    return Certificate(KIND, claim, witness)


def _range(channel: Channel, error: float) -> tuple[int, int]:
    """Where the two sides are about closest, if 1/sigma^2 is the information that is needed."""
    sigma, offset = float(channel.sigma), float(channel.offset)

    def ratio(sizes: tuple[int, int]) -> float:
        first, last = (size + offset for size in sizes)
        value = max(1 + 1 / first, 1 + last / 2.0**channel.bits) ** 2 * (1 + (sigma * first) ** -2)
        bound = (1 + 1 / (2.5 * sigma * first)) ** -2 - (2 * pi * sigma / log(last / first)) ** 2
        return value / bound if bound > 0 else float("inf")

    firsts = [max(channel.bend, 2, ceil(start / error)) for start in _STARTS]
    return min(
        ((first, max(1 << bits, 4 * first)) for first in firsts for bits in _ENDS), key=ratio
    )


@lru_cache(maxsize=256)
def best_level(error: Fraction) -> tuple[Fraction, Fraction, tuple[Fraction, Fraction]]:
    """A level, a multiplier and ends that `is_below_spectrum` proves: about the best for this error.

    The multiplier 1.2533/error^3 is close to the best for all errors, for the bound is flat there. The
    level is a guess from finite differences, lowered until it is proved.

    >>> level, multiplier, _ = best_level(Fraction(1, 10))
    >>> round(float(level - multiplier / 10), 2)
    62.05
    """
    r = min(float(error), 0.999)
    multiplier = Fraction(floor(2**20 * 1.2533 / r**3), 2**20)
    # Further to the left than 30 the potential is 1 for all purposes.
    ends = Fraction(min(-14 * log1p(-r) * (1 + r), 30.0)), Fraction(min(9 * r, 6.0))
    guess = Fraction(_lowest(float(multiplier), *map(float, ends)))

    def level(slack: Fraction) -> Fraction:
        return Fraction(floor(guess * (1 - slack) * 2**60), 2**60)

    slack = Fraction(1, 10**7)
    while slack < 1 and not is_below_spectrum(level(slack), multiplier, ends):
        slack *= Fraction(3, 2)
    return level(slack), multiplier, ends


def _lowest(multiplier: float, left: float, right: float) -> float:
    """About the lowest eigenvalue, by finite differences."""
    from scipy.linalg import eigh_tridiagonal

    z = np.linspace(-left, right, _POINTS)
    step = z[1] - z[0]
    diagonal = 8 / step**2 + multiplier * np.abs(np.expm1(z))
    beside = np.full(_POINTS - 1, -4 / step**2)
    return float(eigh_tridiagonal(diagonal, beside, True, "i", (0, 0))[0])
