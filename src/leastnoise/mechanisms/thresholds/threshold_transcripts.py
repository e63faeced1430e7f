r"""What a sparse vector answers to given values, with exact probabilities: its claims, recomputed.

A *transcript* is the row of answers to a row of questions, up to the last one that is answered.
Given where the noisy threshold lies, the answers are independent; the probability of a transcript
is the mean of a product. Nothing here trusts the proof: the sums are carried out, over every
transcript, and the greatest ratio between two neighbours is the privacy loss itself.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, SupportsIndex

from flint import arb, ctx

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.thresholds.threshold_noise import ThresholdNoise
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Endpoint, Interval

_BITS = 256  # sums over thousands of levels lose few of these
_NEGLIGIBLE = 120  # levels are left out beyond a chance of exp(−120)

Answer = tuple[bool, Hashable]
"""Whether it counts as "above", and what is said."""

Transcript = tuple[Answer, ...]


Levels = Iterable[tuple[int, arb]]
"""Where the threshold may be and with which chance; what is missing from 1 is elsewhere."""

Answers = Callable[[int, int], Sequence[tuple[Answer, arb]]]
"""(value, level) ↦ every answer to the value, with its chance if the threshold is at the level."""


class ThresholdMachine(Protocol):
    """Anything that answers one question after another, with "above" or not."""

    def law(self, values: Sequence[int]) -> "TranscriptLaw":
        """The probabilities of all transcripts, for public or made-up values."""


@dataclass(frozen=True)
class HonestMachine:
    """What `AboveThreshold` does, in probabilities.

    Args:
        noise: as there.
        threshold: as there, an integer.
        gaps: tell gaps below this one as they are, and greater ones as "more"; 0 tells none.
    """

    noise: ThresholdNoise
    threshold: int
    gaps: int = 0

    def law(self, values: Sequence[int]) -> "TranscriptLaw":
        """The probabilities of all transcripts, for public or made-up values."""
        if self.noise.restart:
            return self._restarted_law(list(values), self.noise.positives)
        return mixture_law(self._levels(), self._answers, self.noise.positives, values)

    def _restarted_law(self, values: list[int], left: int) -> "TranscriptLaw":
        """One run until the first "above", and after it the same with one fewer left."""
        law: dict[Transcript, arb] = {}
        run = mixture_law(self._levels(), self._answers, 1, values)
        rest = run.rest
        for start, chance in run.chances.items():
            if left == 1 or len(start) == len(values):
                law[start] = chance
                continue
            after = self._restarted_law(values[len(start) :], left - 1)
            rest += after.rest
            law |= {start + end: chance * more for end, more in after.chances.items()}
        return TranscriptLaw(law, rest)

    def _levels(self) -> Levels:
        """The threshold plus ρ."""
        rate = balls.ball(self.noise.threshold_rate)
        share = -(-rate).expm1()
        for rho in range(math.ceil(_NEGLIGIBLE / self.noise.threshold_rate)):
            yield self.threshold + rho, share * (-rate * rho).exp()

    def _answers(self, value: int, level: int) -> list[tuple[Answer, arb]]:
        """Silence, every gap told apart, and the rest of "above"."""
        needed = level - value
        places = [needed + gap for gap in range(self.gaps + 1)]
        tails = [self._tail(place) for place in places]
        told = [((True, gap), tails[gap] - tails[gap + 1]) for gap in range(self.gaps)]
        return [((False, None), 1 - tails[0]), *told, ((True, "more"), tails[-1])]

    def _tail(self, place: int) -> arb:
        """P(ν ≥ place)."""
        return _tail(self.noise.query_rate, max(0, place), ctx.prec)


@lru_cache(maxsize=1 << 16)
def _tail(rate: Fraction, place: int, bits: int) -> arb:
    del bits  # only the cache needs it: balls of one precision are not those of another
    return (-balls.ball(rate * place)).exp()


@dataclass(frozen=True)
class TranscriptLaw:
    """The probabilities of transcripts, each between its ball and that plus `rest`.

    Args:
        chances: by transcript, from the levels that were looked at.
        rest: at most this is missing, somewhere.
    """

    chances: Mapping[Transcript, arb]
    rest: arb

    def ends(self, transcript: Transcript) -> tuple[arb, arb]:
        """The least and the greatest the probability can be."""
        chance = self.chances.get(transcript, arb(0))
        return _not_negative(chance.lower()), chance.upper() + self.rest


def mixture_law(
    levels: Levels, answers: Answers, positives: float, values: Sequence[int]
) -> TranscriptLaw:
    """The law of a machine whose answers are independent once the threshold's level is known.

    It stops after so many "above". Everything is in balls of the working precision.
    """
    law: dict[Transcript, arb] = {}
    rest = arb(1)
    for level, chance in levels:
        rest -= chance
        for transcript, product in _transcripts(answers, positives, values, level):
            law[transcript] = law.get(transcript, arb(0)) + chance * product
    return TranscriptLaw(law, _not_negative(rest.upper()))


def _transcripts(
    answers: Answers, positives: float, values: Sequence[int], level: int
) -> list[tuple[Transcript, arb]]:
    """Every transcript at one level of the threshold, with its chance there."""
    going: list[tuple[Transcript, arb]] = [((), arb(1))]
    done: list[tuple[Transcript, arb]] = []
    for value in values:
        told = answers(value, level)
        longer = [
            ((*transcript, answer), chance * more)
            for transcript, chance in going
            for answer, more in told
        ]
        going = [pair for pair in longer if _positives(pair[0]) < positives]
        done += [pair for pair in longer if _positives(pair[0]) >= positives]
    return done + going


def _positives(transcript: Transcript) -> int:
    return sum(above for above, _ in transcript)


def greatest_loss(
    machine: ThresholdMachine, one: Sequence[SupportsIndex], other: Sequence[SupportsIndex]
) -> Interval:
    r"""The greatest |log P(transcript | one) − log P(transcript | other)| of all transcripts.

    For values of neighbours it must not exceed the ε that was promised. The bracket is narrow
    unless some transcript is next to impossible; its lower end alone refutes a claim.

    Example:
        >>> noise = ThresholdNoise(epsilon=1, sensitivity=1)
        >>> greatest_loss(HonestMachine(noise, threshold=0), [0, 0], [1, -1])
        Interval(0.999999999999999, 1.00000000000001)
    """
    with balls.precision(_BITS):
        p, q = machine.law(_public(one)), machine.law(_public(other))
        losses = [_loss(p.ends(x), q.ends(x)) for x in {*p.chances, *q.chances}]
    greatest: tuple[Endpoint, Endpoint] = (
        max((loss.lower for loss in losses), default=Fraction(0)),
        max((loss.upper for loss in losses), default=Fraction(0)),
    )
    return Interval(*greatest)


def _public(values: Sequence[SupportsIndex]) -> list[int]:
    return [_check.integer(value, "values") for value in values]


def _loss(p: tuple[arb, arb], q: tuple[arb, arb]) -> Interval:
    """|log p − log q|, from the ends of both."""
    least = max(_log_ratio(p[0], q[1]).lower, _log_ratio(q[0], p[1]).lower, Fraction(0))
    return Interval(least, max(_log_ratio(p[1], q[0]).upper, _log_ratio(q[1], p[0]).upper, least))


def _log_ratio(over: arb, under: arb) -> Interval:
    if over == 0:
        return Interval(-math.inf, -math.inf)
    return Interval(math.inf, math.inf) if under == 0 else balls.interval((over / under).log())


def _not_negative(value: arb) -> arb:
    return value if value > 0 else arb(0)
