r"""Witnesses: what proves a lower bound on the cost of every law of a class."""

from enum import Enum
from fractions import Fraction

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class Multipliers:
    """One shift's row of dual variables.

    y(first + i) = values[i] / 2^bits; y = 0 before these, and y = beyond / 2^bits for ever after.
    """

    shift: int
    first: int
    values: tuple[int, ...]
    beyond: int = 0

    @property
    def last(self) -> int:
        """The last place with a value of its own."""
        return self.first + len(self.values) - 1

    @property
    def top(self) -> int:
        """The greatest multiplier of the row, times 2^bits."""
        return max(self.beyond, *self.values, 0)

    def upto(self, place: int) -> "Multipliers":
        """The same row written out to a later place."""
        more = (self.beyond,) * (place - self.last)
        return Multipliers(self.shift, self.first, self.values + more, self.beyond)


@dataclass(frozen=True)
class Dual:
    r"""A point of the dual linear program.

    Theorem: let y_d(k) ≥ 0 for shifts d = 1..Δ and integers k, bounded for each d, and let μ
    satisfy for every j ≥ 0, with m = 1 if j = 0 and m = 2 otherwise,
    m·(c(j) − μ) + Σ_d [Σ_(k : |k| = j) y_d(k) − e^ε·Σ_(k : |k+d| = j) y_d(k)] ≥ 0.
    Then every law that is (ε, δ)-DP at sensitivity Δ costs at least μ − δ·Σ_d max_k y_d(k).
    Proof: docs/proofs/linear_program.md.

    Attributes:
        level: μ.
        bits: the common denominator of all multipliers is 2^bits.
        rows: one row per shift in use.
    """

    level: Fraction
    bits: int
    rows: tuple[Multipliers, ...]


@dataclass(frozen=True)
class Rounded:
    r"""A dual point of a coarser problem, whose bound holds for every law on the real line.

    Theorem: round real noise X at random to a neighbouring multiple of h, without bias. If X is
    (ε, δ)-DP for the shifts h, 2h, … up to Δ, the result is so on the lattice of step h; and if
    the chords of c̃ between multiples of h lie below c, its cost under c̃ is at most X's under c.
    With h a multiple of a finer lattice's step, X may be noise on that lattice.
    Proof: docs/proofs/linear_program.md, section 4.

    Attributes:
        sensitivity: ⌊Δ/h⌋ or less, in coarse steps.
        step: h, a multiple of the fine lattice's step.
        dual: the dual point for c̃ on the coarse lattice.
    """

    sensitivity: int
    step: Fraction
    dual: Dual


class Theorem(Enum):
    """Results that make a law its own lower bound."""

    STAIRCASE = "the staircase law of the best width is optimal for pure differential privacy"
    CANONICAL = "canonical noise is optimal for every cost at sensitivity 1"


Witness = Dual | Rounded | Theorem
