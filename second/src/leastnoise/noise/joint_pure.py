r"""Joint noise for several vectors of totals that one unit moves together, under pure epsilon.

A *block* says how far one unit moves one vector: `Box` (every number within low .. high), `Simplex`
(numbers of at least 0, `total` at most in all) or `Diamond` (magnitudes, `total` at most in all).
C(p, q) is what p units may add to it and q units take away, widened by `start`:

- Box: every number in p*low - q*high .. p*high - q*low, and `start` integers more;
- Simplex: positive numbers add up to at most p*total + start, negative ones to -(q*total + start);
- Diamond: magnitudes add up to at most (p + q)*total + start.

Law: (p, q, x) has weight e^(-rate*(p + q)), for p, q >= 0 and x in the product of all C(p, q).
With `counters=1`, q is 0 throughout; then every block must be its own mirror image.

Theorem. Let one unit move the vector of every block, all at once, by something that its block
holds. Then the vectors with the noise x are epsilon-DP together with epsilon = rate, whatever the
numbers `start` are. `UNITS` is the block of a total to which every unit adds exactly 1; its noise is
p - q.

The counters are drawn as follows. The number of points F(p, q) of the product is a polynomial, so
F(p, q) = sum of c(u, v)*C(p, u)*C(q, v), with integers c(u, v) >= 0 (differences of F at 0). Since
the sum of C(p, u)*b^p over p is b^u/(1 - b)^(u + 1), the pair (u, v) has weight
c(u, v)*(b/(1 - b))^(u + v), b = e^(-rate), and then p is u plus u + 1 geometric draws, likewise q.

Proof page: docs/proofs/joint_pure.md. Reference: Hardt and Talwar 2010, Section 4.

Trusted.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from math import comb, prod

from flint import arb, ctx, fmpz

from leastnoise.noise.source import Source
from leastnoise.noise.uniform import Table, geometric, uniform_below
from leastnoise.numbers.ball import ball, floor
from leastnoise.numbers.errors import InvalidInput

MOST_CELLS = 512
"""Numbers that one draw may have."""

MOST_BESIDE_SIMPLEX = 128
"""The same where one of the blocks is a simplex: the time to prepare grows with the cube."""


def check_blocks(blocks: object, *kinds: type, name: str = "blocks") -> None:
    """Refuses what is no list or tuple of blocks."""
    is_row = isinstance(blocks, tuple | list) and len(blocks) > 0
    if not is_row or not all(isinstance(each, kinds) for each in blocks):  # type: ignore[attr-defined]
        known = " or ".join(kind.__name__ for kind in kinds)
        raise InvalidInput(f"Joint noise needs a tuple of {name}, each a {known}.")


def check_whole(owner: object, **least: int) -> None:
    """Refuses attributes that are no whole numbers, or below these."""
    for name, low in least.items():
        value = getattr(owner, name)
        if type(value) is not int or value < low:
            raise InvalidInput(
                f"{name} of {type(owner).__name__} is no whole number from {low} on."
            )


@dataclass(frozen=True)
class Box:
    """Each of `cells` numbers moves by low .. high, whatever the others do."""

    low: int
    high: int
    cells: int = 1
    start: int = 0

    def __post_init__(self) -> None:
        check_whole(self, cells=1, start=0)
        if type(self.low) is not int or type(self.high) is not int or self.low > self.high:
            raise InvalidInput("low and high of Box are no whole numbers, or low is above high.")

    @property
    def is_symmetric(self) -> bool:
        """Whether it is its own mirror image."""
        return self.low == -self.high

    def points(self, p: int, q: int) -> int:
        """The number of points of C(p, q)."""
        return int(self._side(p, q) ** self.cells)

    def _side(self, p: int, q: int) -> int:
        return (p + q) * (self.high - self.low) + self.start + 1

    def draw(self, p: int, q: int, source: Source) -> list[int]:
        """A uniform point of C(p, q)."""
        lowest, side = p * self.low - q * self.high - self.start // 2, self._side(p, q)
        return [lowest + uniform_below(side, source) for _ in range(self.cells)]


@dataclass(frozen=True)
class _OfTotal:
    cells: int
    total: int
    start: int = 0

    def __post_init__(self) -> None:
        check_whole(self, cells=1, total=0, start=0)


@dataclass(frozen=True)
class Simplex(_OfTotal):
    """`cells` numbers of at least 0, which add up to at most `total`."""

    @property
    def is_symmetric(self) -> bool:
        """Whether it is its own mirror image."""
        return False

    def points(self, p: int, q: int) -> int:
        """The number of points of C(p, q)."""
        return sum(self._by_positive(*self._ends(p, q)))

    def _ends(self, p: int, q: int) -> tuple[int, int]:
        return p * self.total + self.start, q * self.total + self.start

    def _by_positive(self, up: int, down: int) -> list[int]:
        """How many points have j positive numbers: C(d, j) * C(up, j) * C(down + d - j, d - j)."""
        d = self.cells
        weights = [comb(down + d, d)]
        for j in range(d):
            above, below = (d - j) ** 2 * (up - j), (j + 1) ** 2 * (down + d - j)
            weights.append(weights[-1] * above // below)
        return weights

    def draw(self, p: int, q: int, source: Source) -> list[int]:
        """A uniform point of C(p, q).

        The sums of the j positive numbers, one after another, are a subset of 1 .. up; those of the
        others' magnitudes, each 1 greater, a subset of 1 .. down + d - j.
        """
        up, down = self._ends(p, q)
        positive = _pick(self._by_positive(up, down), source)
        others = self.cells - positive
        chosen = _subset(positive, self.cells, source)
        rises = _gaps(_subset(positive, up, source))
        falls = _gaps(_subset(others, down + others, source))
        point = [1 - fall for fall in falls]
        for place, rise in zip(chosen, rises, strict=True):
            point.insert(place, rise)
        return point


@dataclass(frozen=True)
class Diamond(_OfTotal):
    """`cells` numbers whose magnitudes add up to at most `total`."""

    @property
    def is_symmetric(self) -> bool:
        """Whether it is its own mirror image."""
        return True

    def points(self, p: int, q: int) -> int:
        """The number of points of C(p, q)."""
        return sum(self._by_size((p + q) * self.total + self.start))

    def _by_size(self, radius: int) -> list[int]:
        """How many points have j numbers that are not 0: C(d, j) * C(radius, j) * 2^j."""
        weights = [1]
        for j in range(self.cells):
            weights.append(weights[-1] * 2 * (self.cells - j) * (radius - j) // (j + 1) ** 2)
        return weights

    def draw(self, p: int, q: int, source: Source) -> list[int]:
        """A uniform point of C(p, q)."""
        radius = (p + q) * self.total + self.start
        size = _pick(self._by_size(radius), source)
        point = [0] * self.cells
        chosen = _subset(size, self.cells, source)
        for place, gap in zip(chosen, _gaps(_subset(size, radius, source)), strict=True):
            point[place] = gap if uniform_below(2, source) else -gap
        return point


Block = Box | Simplex | Diamond

UNITS = Box(1, 1)
"""The block of a total to which every unit adds exactly 1."""


def _pick(weights: Sequence[int], source: Source) -> int:
    """A place, with probability proportional to its weight."""
    sums = list(accumulate(weights))
    return bisect_right(sums, uniform_below(sums[-1], source))


def _subset(size: int, count: int, source: Source) -> list[int]:
    """A uniform subset of 0 .. count - 1, in order (Floyd's algorithm)."""
    chosen = set[int]()
    for last in range(count - size, count):
        drawn = uniform_below(last + 1, source)
        chosen.add(last if drawn in chosen else drawn)
    return sorted(chosen)


def _gaps(subset: list[int]) -> list[int]:
    """How far each element is above the one before, the first above -1."""
    return [high - low for low, high in zip([-1, *subset], subset, strict=False)]


def ends(reach: Block) -> tuple[int, int]:
    """The least and the greatest move of one number."""
    if isinstance(reach, Box):
        return reach.low, reach.high
    return (0 if isinstance(reach, Simplex) else -reach.total), reach.total


def covers(block: Block, reach: Block) -> bool:
    """Whether every move that `reach` allows is in `block`. Widths `start` play no part.

    >>> covers(Box(0, 2), Box(0, 1)), covers(Box(0, 1), Box(0, 2)), covers(UNITS, Box(0, 1))
    (True, False, False)
    """
    if block.cells != reach.cells:
        return False
    match block, reach:
        case Box(), _:
            low, high = ends(reach)
            return block.low <= low and high <= block.high
        case Simplex(), Simplex():
            return reach.total <= block.total
        case Diamond(), Simplex() | Diamond():
            return reach.total <= block.total
        case _:
            return False


@dataclass(frozen=True)
class KNormNoise:
    """The law of this module's docstring, for all blocks together.

    Attributes:
        rate: the epsilon of all of them together.
        blocks: how far one unit moves each vector.
        counters: 2, or 1 where every block is its own mirror image.

    >>> KNormNoise(Fraction(1), (Box(0, 1, cells=10, start=6),)).epsilon([Box(0, 1, cells=10)])
    Fraction(1, 1)
    """

    rate: Fraction
    blocks: tuple[Block, ...]
    counters: int = 2

    def __post_init__(self) -> None:
        if not isinstance(self.rate, Fraction) or self.rate <= 0:
            raise InvalidInput("The rate of joint noise is no fraction above 0. Give Fraction(1).")
        if type(self.counters) is not int or self.counters not in (1, 2):
            raise InvalidInput("Joint noise has one or two counters.")
        check_blocks(self.blocks, Box, Simplex, Diamond)
        if self.counters == 1 and not all(block.is_symmetric for block in self.blocks):
            raise InvalidInput("Noise with one counter is for totals that go up and down alike.")
        most = MOST_BESIDE_SIMPLEX if self._has_simplex else MOST_CELLS
        if self.cells > most:
            raise InvalidInput(f"One draw of joint noise is for at most {most} numbers.")

    @property
    def cells(self) -> int:
        """How many numbers get noise."""
        return sum(block.cells for block in self.blocks)

    @property
    def _has_simplex(self) -> bool:
        return any(isinstance(block, Simplex) for block in self.blocks)

    def epsilon(self, reach: Sequence[Block]) -> Fraction:
        """The epsilon of all totals together, of which one unit moves the i-th within reach[i].

        Raises:
            InvalidInput: a block does not cover its reach.
        """
        check_blocks(reach, Box, Simplex, Diamond, name="reaches")
        if len(reach) != len(self.blocks):
            raise InvalidInput("Joint noise needs one reach for every block.")
        for place, (block, each) in enumerate(zip(self.blocks, reach, strict=True)):
            if not covers(block, each):
                raise InvalidInput(f"Block {place}, {block}, does not cover {each}.")
        return self.rate

    def points(self, p: int, q: int) -> int:
        """F(p, q): the number of points of all blocks together."""
        return prod(each.points(p, q) ** n for each, n in Counter(self.blocks).items())

    def draw(self, source: Source) -> tuple[list[int], ...]:
        """Noise for every block: the counters, then a uniform point of each C(p, q)."""
        table, rows = _prepared(self)
        degree = int(table.sample(1, source)[0])
        u = _pick(rows[degree], source)
        p = _counter(u, self.rate, source)
        q = _counter(degree - u, self.rate, source) if self.counters == 2 else 0
        return tuple(block.draw(p, q, source) for block in self.blocks)

    def coefficients(self) -> list[list[int]]:
        """c(u, v): row n holds c(u, n - u) for u = 0 .. n, for every n up to the degree of F."""
        degree = self.cells  # of F at most
        if self._has_simplex:
            pairs = [(p, q) for p in range(degree + 1) for q in range(p, degree - p + 1)]
            half = {
                pair: self.points(*pair) for pair in pairs
            }  # F(p, q) = F(q, p): -C(p, q) is C(q, p)
            table = [
                [half[min(p, q), max(p, q)] for q in range(degree - p + 1)]
                for p in range(degree + 1)
            ]
            by_q = [_differences(row) for row in table]
            columns = [[by_q[p][v] for p in range(degree - v + 1)] for v in range(degree + 1)]
            found = [_differences(column) for column in columns]
            return [[found[n - u][u] for u in range(n + 1)] for n in range(degree + 1)]
        # F depends on p + q alone, and C(p + q, n) is the sum of C(p, u)*C(q, n - u).
        line = _differences([self.points(r, 0) for r in range(degree + 1)])
        if self.counters == 1:
            return [[0] * n + [c] for n, c in enumerate(line)]
        return [[c] * (n + 1) for n, c in enumerate(line)]


def _differences(values: list[int]) -> list[int]:
    """The n-th forward difference at the first value, for every n: coefficients of C(x, n)."""
    found = []
    while values:
        found.append(values[0])
        values = [high - low for low, high in pairwise(values)]
    return found


def _counter(u: int, rate: Fraction, source: Source) -> int:
    """p >= u with probability proportional to C(p, u) * e^(-rate*p)."""
    return u + sum(int(each) for each in geometric(rate, u + 1, source))


@lru_cache(maxsize=64)
def _prepared(law: KNormNoise) -> tuple[Table, list[list[int]]]:
    """The table of u + v, and the weights of u given it."""
    rows = law.coefficients()
    if min(map(min, rows)) < 0:
        raise AssertionError("a coefficient of a number of points is negative")
    weights = [sum(row) for row in rows]

    @cache
    def tails(bits: int) -> list[arb]:  # noqa: ARG001 - the working precision, as a key
        odds = 1 / (ball(law.rate).exp() - 1)
        parts = [arb(fmpz(weight)) * odds**n for n, weight in enumerate(weights)]
        sums = list(accumulate(parts[::-1]))[::-1]
        return [each / sums[0] for each in sums]

    def chance(n: int, bits: int) -> int:
        return floor(lambda: tails(ctx.prec)[n] * arb(2) ** bits, bits + 64)

    return Table(chance, len(weights)), rows
