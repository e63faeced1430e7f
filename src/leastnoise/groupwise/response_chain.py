"""`ResponseChain`: geometric noise whose rate falls from count to count."""

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from flint import arb
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.numeric import ball as balls
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source

_WORD = 1 << 64  # a chance is a whole number of 2**-64


@dataclass(frozen=True)
class ResponseChain:
    r"""A random walk on the counts first, first+1, …, top; each step is a randomized response.

    Law: let u(x) = chances/2**64 be the chance to cross the border between x − 1 and x. From x one
    goes up with chance u(x+1), down with chance u(x), and else stays. Having come up to j one
    goes on with chance u(j+1)/(1 − u(j)), having come down to j with chance u(j)/(1 − u(j+1)).

    Theorem: the laws of the end, started from x − 1 and from x, are the same randomized function
    of a coin that says which side of the border it is on and lies with chance u(x). So this pair
    is exactly as private as randomized response with ε = ln((1−u)/u), and its ρ is
    (1−2u)·ln((1−u)/u) = ε·tanh(ε/2).
    Proof: docs/proofs/relative_counts.md, section 2.

    With one rate for all it is the truncated geometric mechanism.

    Args:
        first: the least count.
        chances: u(x)·2**64 for x = first+1, …, top, each in 1..2**63 and none below the one before.

    References: GhoshRoughgardenSundararajan2012, for equal rates.
    """

    first: int
    chances: tuple[int, ...]

    @property
    def top(self) -> int:
        """The greatest count; from there on something else may take over."""
        return self.first + len(self.chances)

    @property
    def is_sound(self) -> bool:
        """Whether the chances are such as the theorem needs."""
        ordered = list(self.chances) == sorted(self.chances)
        return ordered and all(0 < chance <= _WORD // 2 for chance in self.chances)

    def chance(self, x: int) -> Fraction:
        """u(x): how often the border between x − 1 and x is crossed."""
        return Fraction(self.chances[x - self.first - 1], _WORD)

    def epsilon(self, x: int) -> Interval:
        """ln((1−u)/u) for the border below x."""
        return response_epsilon(self.chance(x))

    def rho(self, x: int) -> Interval:
        """(1−2u)·ln((1−u)/u) for the border below x."""
        return response_rho(self.chance(x))

    def chance_up(self, x: int, y: int) -> Fraction:
        """P(end ≥ y) for a walk from x < y ≤ top; exact."""
        chance = self.chance(x + 1)
        for j in range(x + 2, y + 1):
            chance *= self.chance(j) / (1 - self.chance(j - 1))
        return chance

    # What a walk asks: one word decides each step. Borders outside the chain are never crossed.

    @cached_property
    def _up(self) -> NDArray[np.uint64]:
        """At j − first: words below this go from j to j + 1."""
        return np.array([*self.chances, 0], dtype=np.uint64)

    @cached_property
    def _down(self) -> NDArray[np.uint64]:
        """At j − first: words below this go from j to j − 1."""
        return np.array([0, *self.chances], dtype=np.uint64)

    def walk(self, counts: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
        """The ends of independent walks from counts in first..top−1."""
        ends = counts - self.first
        words = source.words(ends.size)
        rising = words < self._up[ends]
        # The highest words go down: as many as there are below `_down`.
        sinking = ~words < self._down[ends]
        ends[rising] = self._go_on(ends[rising] + 1, self._up, self._down, 1, source)
        ends[sinking] = self._go_on(ends[sinking] - 1, self._down, self._up, -1, source)
        return ends + self.first

    def sink(self, size: int, source: Source) -> NDArray[np.int64]:
        """The ends of walks that have come down from the top to top − 1."""
        start = np.full(size, len(self.chances) - 1, dtype=np.int64)
        return self._go_on(start, self._down, self._up, -1, source) + self.first

    def _go_on(
        self,
        places: NDArray[np.int64],
        onward: NDArray[np.uint64],
        back: NDArray[np.uint64],
        step: int,
        source: Source,
    ) -> NDArray[np.int64]:
        """Walks that keep their direction: on with chance onward/(2**64 − back), else stop."""
        moving = np.flatnonzero(onward[places])
        while moving.size:
            here, words = places[moving], source.words(moving.size)
            going = words < onward[here]
            places[moving[going]] += step
            again = going | (~words < back[here])  # words that no walk may use are drawn anew
            moving = moving[again]
            moving = moving[onward[places[moving]] > 0]
        return places

    # What it costs: expected distances, in balls.

    def levels_down(self) -> list[arb]:
        """At x − first: E(x − end) given that the walk from x goes down; 0 at the first count."""
        u = self._balls()
        levels = [arb(0)]
        for i, here in enumerate(u):
            before = levels[i] * u[i - 1] / (1 - here) if i else arb(0)
            levels.append(1 + before)
        return levels

    def levels_up(self, beyond: arb) -> list[arb]:
        """At x − first: E(end − x) given that the walk from x < top goes up.

        Args:
            beyond: what is added on average where the walk arrives at the top.
        """
        u = self._balls()
        levels = [1 + beyond]
        for here, after in zip(reversed(u[:-1]), reversed(u[1:]), strict=True):
            levels.append(1 + levels[-1] * after / (1 - here))
        return levels[::-1]

    def errors(self, beyond: arb) -> list[arb]:
        """E|end − x| for x = first, …, top − 1."""
        u = self._balls()
        downs = [low * below for low, below in zip([arb(0), *u], self.levels_down(), strict=True)]
        ups = [high * above for high, above in zip(u, self.levels_up(beyond), strict=True)]
        return [down + up for down, up in zip(downs, ups, strict=False)]

    def _balls(self) -> list[arb]:
        return [arb(chance) / _WORD for chance in self.chances]


@lru_cache(maxsize=1 << 12)
def response_epsilon(chance: Fraction) -> Interval:
    """ln((1−u)/u): the ε of a randomized response that lies with chance u."""
    return balls.enclosure(lambda: balls.ball((1 - chance) / chance).log())


@lru_cache(maxsize=1 << 12)
def response_rho(chance: Fraction) -> Interval:
    """(1−2u)·ln((1−u)/u): its ρ, which equals ε·tanh(ε/2)."""
    odds = (1 - chance) / chance
    return balls.enclosure(lambda: balls.ball(1 - 2 * chance) * balls.ball(odds).log())


def word_chances(chances: Iterable[float]) -> tuple[int, ...]:
    """Chances as words, rounded down and made not to fall from one to the next."""
    words: list[int] = []
    for chance in reversed(list(chances)):
        words.append(min([int(chance * _WORD), *words[-1:]]))
    return tuple(reversed(words))
