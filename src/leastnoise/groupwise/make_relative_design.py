"""From a promised error to a design that provably keeps it."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log2

import numpy as np

from leastnoise import _check
from leastnoise.errors import UnsupportedQuery
from leastnoise.groupwise.chain_design import chain_chances
from leastnoise.groupwise.count_map import CountMap
from leastnoise.groupwise.design_error import DesignError
from leastnoise.groupwise.even_gaps import bent_gaps
from leastnoise.groupwise.log_channel import LogChannel
from leastnoise.groupwise.log_error import LogError
from leastnoise.groupwise.log_map import LogMap
from leastnoise.groupwise.relative_design import RelativeDesign
from leastnoise.groupwise.response_chain import ResponseChain, word_chances
from leastnoise.numeric import ball as balls
from leastnoise.numeric.inverse import least_integer
from leastnoise.numeric.normal_cdf import normal_quantile

_FINEST_BITS = 40  # places of 2**62 still fit into 53 bits
_MOST_NOISE_BITS = 39.9  # a deviation stays below 2**40 steps
# What is kept back for the lattice, and for rounding at counts too many to look at one by one.
MARGIN = Fraction(1, 2**16)
_MARGINS = (MARGIN, *(Fraction(1, 2**bits) for bits in (14, 12, 9, 6, 4)))  # tried in turn
# By how much gaps are widened and chances made smaller for what the search neglects; beyond the
# most, gaps are those of logarithms.
_CARE = ((1.002, 1.0), (1.004, 0.999), (1.01, 0.99), (1.03, 0.98))
_MOST_WIDENING = 1.02  # see above
_LAST_BENT_ERROR = 2.5  # gaps are listed up to this error
_MOST_GAPS = 600  # that are listed
_LONGEST_CHAIN = 1 << 16  # it has a chance for every count


@lru_cache(maxsize=64)
def make_relative_design(
    relative_error: Fraction, smallest: int, slack: Fraction
) -> RelativeDesign:
    """The best design known with E|x̂ − x| ≤ relative_error·(x + slack) for all x ≥ smallest.

    The search is in floats; what it finds is made smaller until `DesignError.is_at_most` proves it.

    Raises:
        InvalidParameter: the error is so small that a chain would need too many counts.
    """
    first = smallest + slack
    if Fraction(6, 5) / relative_error - first > _LONGEST_CHAIN:
        raise _check.refuse(
            f"1.2/`relative_error` must exceed `smallest` by at most {_LONGEST_CHAIN}",
            f"relative_error={float(relative_error):g}, smallest={smallest}",
            "So precise a release leaves small groups no privacy: allow a larger error, or name "
            "a larger smallest group.",
        )
    for design in _candidates(relative_error, smallest, slack):
        if design.beats_logarithms and DesignError(design).is_at_most(relative_error):
            return design
    raise UnsupportedQuery(
        "a design must be proved to keep its error; this one was not, for relative_error="
        f"{float(relative_error):g}. Allow a slightly different error."
    )


def _candidates(
    relative_error: Fraction, smallest: int, slack: Fraction
) -> Iterator[RelativeDesign]:
    """Designs in the order in which they are wanted, each a little more careful."""
    for margin in _MARGINS:
        log_map, variance = log_channel(relative_error * (1 - margin), slack, unbiased=False)
        sigma = float(variance) ** 0.5 / 2.0**log_map.bits
        chances = chain_chances(float(relative_error), float(smallest + slack), sigma)
        top = smallest + chances.size
        for widening, shrinking in _CARE:
            gaps = _gaps(float(relative_error), log_map, top, variance, widening)
            channel = LogChannel(CountMap(log_map, top, gaps), variance)
            words = word_chances((chances * shrinking).tolist())
            yield _joined(channel, smallest, words)
        yield _joined(LogChannel(CountMap(log_map, smallest, ()), variance), smallest, ())


def log_channel(
    relative_error: Fraction, offset: Fraction, *, unbiased: bool
) -> tuple[LogMap, int]:
    """The map and the greatest variance whose real-valued estimates have at most this error."""
    guess = _quantile(relative_error / 2) * 2 if unbiased else _quantile(relative_error)
    bits = min(_FINEST_BITS, floor(_MOST_NOISE_BITS - log2(guess)))
    log_map = LogMap(bits, offset)
    nowhere = CountMap(log_map, 1, ())

    def too_noisy(variance: int) -> bool:
        channel = LogChannel(nowhere, variance)
        shift = channel.squared_sigma / (2 if unbiased else 1)
        with balls.precision(balls.FIRST_PRECISION):
            return not LogError(channel, shift).relative(1) <= balls.ball(relative_error)

    guessed = floor((guess * 2.0**bits) ** 2)
    return log_map, least_integer(too_noisy, 1, guess=guessed) - 1


def _gaps(
    relative_error: float, log_map: LogMap, top: int, variance: int, widening: float
) -> tuple[int, ...]:
    """Gaps above the top, in lattice steps, up to where the logarithms take over."""
    length = min(int(_LAST_BENT_ERROR / relative_error) - top, _MOST_GAPS)
    if length <= 0 or widening > _MOST_WIDENING:
        return ()
    deviation = float(variance) ** 0.5
    counts = np.arange(top + 1, top + length + 1, dtype=np.float64) + float(log_map.offset)
    wide = bent_gaps(relative_error, counts, deviation / 2.0**log_map.bits) * widening
    steps = np.maximum.accumulate((wide * deviation)[::-1])[::-1]
    limits = [(log_map.gap(x), int(s)) for x, s in enumerate(steps, top + 1)]
    least = log_map.gap(top + length + 1)
    return tuple(max(min(pair), least) for pair in limits)


def _joined(channel: LogChannel, smallest: int, chances: tuple[int, ...]) -> RelativeDesign:
    """The chain joined to the channel: its last chance is made that of sinking from the top."""
    chain = ResponseChain(smallest, chances)
    if not chances:
        return RelativeDesign(chain, channel, 0)
    last = chain.chance(chain.top)
    steps = ceil(-_quantile(1 - 2 * last) * float(channel.variance) ** 0.5) + 1
    threshold = channel.map.place(chain.top) + steps
    sunk = Fraction(channel.noise.tail(1 - steps).lower)
    met = min(floor(sunk * 2**64), 2**63)
    return RelativeDesign(ResponseChain(smallest, (*chances[:-1], met)), channel, threshold)


def _quantile(mass: Fraction) -> float:
    """The z with P(|Z| ≤ z) = mass, for a guess."""
    with balls.precision(balls.FIRST_PRECISION):
        return float(normal_quantile(balls.ball((1 - mass) / 2)))
