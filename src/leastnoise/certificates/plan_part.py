"""`PlanPart`: numbers of a plan that one unit moves together, their noise, and a law of units."""

from fractions import Fraction

from leastnoise._dataclass import dataclass

_ONE = Fraction(1)


@dataclass(frozen=True)
class PlanPart:
    r"""Some numbers of a plan, what one unit may add to them, and how noisy they are.

    The numbers are in rows of `either`. One unit moves at most `moved` rows, and in each of them
    one number, by low..high. If all rows may move and have one number each, the part is a *box*:
    each number gets something in low..high, whatever the others get.

    The last five fields say how a unit is drawn at random for the proof, if units are added or
    removed. It takes `more` rows with the stated chance, else `fewer`, chosen at random, and in
    each a random number. In a box these get `high`, and all others `low`; else they get `high` with
    chance `upper`, or `low`, and the others nothing. In a box whose numbers move `alone`, each gets
    `high` with the stated chance, or `low`, whatever the others get. If units are replaced,
    `chance` has another meaning: docs/proofs/plan_bound.md, section 4.

    Attributes:
        questions: their places in the plan, from 0.
        cells: how many numbers.
        low: the least that one unit adds to a number that it moves.
        high: the most.
        moved: how many rows one unit moves, at most.
        weight: of the variance of one number.
        variance: of the noise of one number, at most; the mean, if numbers differ.
        either: how many numbers share a row.
        fewer: a number of rows.
        more: a number of rows.
        chance: of the greater of the two.
        upper: the chance of `high`.
        alone: whether the numbers of a box are drawn independently.
    """

    questions: tuple[int, ...]
    cells: int
    low: int
    high: int
    moved: int
    weight: Fraction
    variance: Fraction
    either: int = 1
    fewer: int = 0
    more: int = 1
    chance: Fraction = _ONE
    upper: Fraction = _ONE
    alone: bool = False

    @property
    def rows(self) -> int:
        """How many rows the numbers make."""
        return self.cells // self.either

    @property
    def is_box(self) -> bool:
        """Whether each number moves whatever the others do."""
        return self.moved == self.cells

    @property
    def weighed(self) -> Fraction:
        """The weighted sum of its numbers' variances."""
        return self.weight * self.variance * self.cells

    @property
    def is_possible(self) -> bool:
        """Whether there are such numbers: a unit outside of a box may leave a number alone."""
        sizes = self.low <= self.high and 1 <= self.moved <= self.rows
        whole = self.either >= 1 and self.rows * self.either == self.cells
        rests = self.is_box or self.low <= 0 <= self.high
        return sizes and whole and rests and self.weight >= 0 <= self.variance

    def is_allowed(self, *, replaced: bool) -> bool:
        """Whether the random unit is one; what the law does not use must be as by default."""
        chances = 0 <= self.chance <= 1 and 0 <= self.upper <= 1
        most = self.more <= self.moved if self.is_box else self.more == self.moved
        counts = 0 <= self.fewer <= self.more and most
        if replaced:
            used = not self.alone and (self.fewer, self.more, self.upper) == (0, self.moved, _ONE)
            return chances and used and (self.chance == 1 or not self.is_box)
        used = not self.alone or (self.is_box and (self.fewer, self.more) == (0, 0))
        return chances and counts and used and (self.upper == 1 or not self.is_box)
