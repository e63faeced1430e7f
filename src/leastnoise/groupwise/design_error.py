"""`DesignError`: the expected error of a design, and the proof that it is what was promised."""

from fractions import Fraction
from functools import cached_property
from math import ceil

from flint import arb

from leastnoise._dataclass import dataclass
from leastnoise.groupwise.log_error import LogError
from leastnoise.groupwise.relative_design import RelativeDesign
from leastnoise.groupwise.rounded_error import RoundedError
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.numeric.inverse import least_integer

# Borders whose chances are computed one by one: few are nearly always enough.
_MANY = 48
_TRIES = (1, 12, _MANY)  # the cheapest proof first


@dataclass(frozen=True)
class DesignError:
    """E|x̂ − x| of a design, in balls at the working precision where nothing else is said.

    `side` = 1 gives upper bounds, −1 lower ones.
    """

    design: RelativeDesign

    @property
    def _rounded(self) -> RoundedError:
        return self.design.rounded

    @property
    def _log(self) -> LogError:
        return self.design.rounded.log

    def at(self, x: int) -> Interval:
        """E|x̂ − x| for a count x, as a bracket.

        A count below the smallest has x̂ > x: how far it is raised comes on top.
        """
        raised = max(x, self.design.smallest)
        with balls.precision(balls.FIRST_PRECISION):
            low, high = (balls.interval(self.error(raised, side, _MANY)) for side in (-1, 1))
        return Interval(max(low.lower, Fraction(0)), high.upper) + Interval.exactly(raised - x)

    def error(self, x: int, side: int, terms: int) -> arb:
        """E|x̂ − x| for a count x ≥ smallest, with so many borders on either side computed."""
        if x < self.design.top:
            return self._chain_errors(side)[x - self.design.smallest]
        up, down = self._rounded.upward(x, side, terms), self._rounded.downward(x, side, terms)
        return up + down + self._sinking(x, side)

    def _chain_errors(self, side: int) -> list[arb]:
        """For the counts from smallest to top − 1; what comes beyond the top included."""
        if not self.design.chain.chances:
            return []
        sunk = self.design.sunk.upper if side > 0 else self.design.sunk.lower
        beyond = self._rounded.upward(self.design.top, side, _MANY) / balls.ball(1 - Fraction(sunk))
        return self.design.chain.errors(beyond)

    def _sinking(self, x: int, side: int) -> arb:
        """What sinking into the chain adds: P(K < threshold) times the levels below the top."""
        if not self.design.chain.chances:
            return arb(0)
        threshold = arb(self.design.threshold) / (1 << self.design.channel.bits)
        return self._log.below(self._log.position(x), threshold, side) * self._levels

    @cached_property
    def _levels(self) -> arb:
        return self.design.chain.levels_down()[-1]

    def chance_above(self, x: int, released: Fraction) -> arb:
        """An upper bound on P(x̂ ≥ released) for a count x ≥ smallest."""
        y, top = ceil(released), self.design.top
        if y <= x:
            return arb(1)
        if x >= top:
            return self._log.above(self._log.position(x), self._rounded.border(y - 1), 1)
        arriving = balls.ball(self.design.chain.chance_up(x, min(y, top)))
        if y <= top:
            return arriving
        kept = balls.ball(1 - Fraction(self.design.sunk.upper))
        return arriving * self.chance_above(top, released) / kept

    def is_at_most(self, relative_error: Fraction) -> bool:
        r"""Whether E|x̂ − x| ≤ relative_error·(x + a) for *every* x ≥ smallest; a yes is a proof.

        Theorem: if it holds for all x below `settled_from`, then it holds for every x.
        Proof: docs/proofs/relative_counts.md, section 5.
        """
        with balls.precision(balls.FIRST_PRECISION):
            share = balls.ball(relative_error)
            if not (self.design.is_sound and self._log.relative(1) < share):
                return False
            errors = enumerate(self._chain_errors(1), self.design.smallest)
            if not all(error <= share * self._log.shifted(x) for x, error in errors):
                return False
            return all(
                any(self.error(x, 1, terms) <= share * self._log.shifted(x) for terms in _TRIES)
                for x in range(self.design.top, self.settled_from(relative_error))
            )

    def settled_from(self, relative_error: Fraction) -> int:
        r"""From this count on a closed formula proves the error, if `relative` is below it.

        For x ≥ bend: E|x̂ − x| ≤ n·A + c(x), where n = x + a, A is the error of real-valued
        estimates, and c bounds what rounding, borders below the bend and sinking add. c does not
        grow, and (relative_error − A)·n does: once c is the smaller one it remains so.
        """
        share = balls.ball(relative_error) - self._log.relative(1)

        def settled(x: int) -> bool:
            added = self._rounding_cost(x) + self._rounded.listed_downward(x, 1)
            return bool(added + self._sinking(x, 1) <= share * self._log.shifted(x))

        return least_integer(settled, self.design.channel.map.bend)

    def _rounding_cost(self, x: int) -> arb:
        """The lesser of two bounds that do not grow with x ≥ bend."""
        channel = self.design.channel
        anywhere = self._log.fall(self._log.position(x), -channel.offset, x)
        first = self._log.shifted(channel.map.bend)
        return arb.min(anywhere, 1 / ((2 * arb.pi()).sqrt() * channel.sigma() * first)) / 8
