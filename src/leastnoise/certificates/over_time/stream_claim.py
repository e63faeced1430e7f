"""`StreamClaim`: how near to the least the errors of running totals are, before anyone checked."""

from dataclasses import field
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from leastnoise._dataclass import dataclass
from leastnoise.certificates.claim import rounded
from leastnoise.certificates.over_time.integer_stream import IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.spans import Span, running_weights

STREAM_FORMAT = "leastnoise certificate over time, version 1"
STREAM_REFERENCE = "docs/proofs/over_time.md: laws of steps bound every linear Gaussian mechanism"
STREAM_SCOPE = "all linear unbiased mechanisms with Gaussian noise"


@dataclass(frozen=True, repr=False)
class StreamClaim:
    r"""Running totals have errors of at most so much, and no mechanism of the scope has much less.

    All errors are for units that move their step by 1, and for noise of μ = 1 or ρ = 1/2.

    Attributes:
        stream: the integers that steps are measured with.
        allowed: in which steps one unit may be.
        worst: whether the claim is about the total with the largest error; else about the root of
            the mean square of all.
        law: how likely a unit begins at each step, as integers over their sum: the proof.
        achieved: the standard deviation is at most this.
        bound: no mechanism of the scope has less.
        words: the sentences that came with it in a file, if any; checked and never shown.
        spans: the sums of steps that it is about, if not about all running totals alike: the claim
            is about the root of the mean square by their weights.
    """

    stream: IntegerStream
    allowed: Participation
    worst: bool
    law: tuple[int, ...]
    achieved: Fraction
    bound: Fraction
    words: tuple[str, ...] = field(default=(), compare=False)
    spans: tuple[Span, ...] = ()

    @property
    def ratio(self) -> Fraction:
        """Achieved over bound."""
        return self.achieved / self.bound

    @property
    def sentence(self) -> str:
        """What is claimed, for people, from numbers alone."""
        which = "each of" if self.worst else "the root mean square of"
        what = f"{self.stream.steps} running totals"
        if self.spans:
            which = "the root mean square, by their weights, of"
            is_running = running_weights(self.spans, self.stream.steps) is not None
            sums = f"{len(self.spans)} sums of consecutive steps, of {self.stream.steps} steps,"
            what = what if is_running else sums
        gap = f", {self.allowed.apart} apart," if self.allowed.apart > 1 else ""
        return (
            f"{which} {what} of units in at most {self.allowed.most} "
            f"steps{gap} has an error of ≤ {rounded(self.achieved, ROUND_CEILING)} at ρ = 1/2, and "
            f"no less than {rounded(self.bound, ROUND_FLOOR)} is possible among {STREAM_SCOPE}"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({rounded(self.ratio, ROUND_CEILING)} times the least)"
