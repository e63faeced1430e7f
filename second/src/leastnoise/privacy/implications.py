r"""The bad-event recipe and its converse: from tails of the privacy loss to (epsilon, delta), and back.

P(loss > epsilon) <= delta for every ordered pair of neighbours implies (epsilon, delta)-DP: an event
S splits into its part with a greater loss, of probability at most delta, and the rest, of at most
e^epsilon*Q(S). It is sufficient and not necessary: the Gaussian mechanism with mu = 1 exceeds the
loss 1 with chance .3085 and yet is (1, .1270)-DP. The converse holds at every greater epsilon'.

Whatever is computed from an output without the data keeps every guarantee (post-processing): no
divergence between two laws grows when both pass through one channel.

Reference: Kasiviswanathan and Smith 2014, Lemma 3.3.
"""

from fractions import Fraction

from flint import arb

from leastnoise.numbers.ball import ball, enclosure
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, non_negative
from leastnoise.numbers.interval import Interval
from leastnoise.privacy.guarantee import ApproxDP, PureDP


def tail_bound(
    guarantee: ApproxDP | PureDP, epsilon: Exact, *, two_sided: bool = False
) -> Interval:
    r"""The greatest P(loss > epsilon'), or P(|loss| > epsilon'), of mechanisms with a guarantee.

    delta/(1 - e^(epsilon - epsilon')) for epsilon' > epsilon, as delta >= E max(0, 1 -
    e^(epsilon - loss)). Two-sided it is times 1 + e^-epsilon'.

    >>> tail_bound(ApproxDP(epsilon=1, delta="1e-6"), 2)
    0.00000158197670686932...
    """
    threshold = non_negative(epsilon, "epsilon")
    lost = guarantee.delta if isinstance(guarantee, ApproxDP) else Fraction(0)
    if threshold < guarantee.epsilon or (lost and threshold == guarantee.epsilon):
        raise InvalidInput("epsilon is not above the guarantee's. There every tail is possible.")
    if not lost:
        return Interval.exactly(0)

    def compute() -> arb:
        one_sided = ball(lost) / -ball(guarantee.epsilon - threshold).expm1()
        return one_sided * (1 + ball(-threshold).exp()) if two_sided else one_sided

    found = enclosure(compute)
    return Interval(min(found.lower, Fraction(1)), min(found.upper, Fraction(1)))
