r"""Witnesses of bounds for many answers: a dual point for two, or a law of what units move."""

from fractions import Fraction

from leastnoise._dataclass import dataclass


@dataclass(frozen=True)
class PairRow:
    """One shift's dual variables: y(first + i, first + j) = values[i][j]/2^bits, else 0."""

    shift: tuple[int, int]
    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class PairDual:
    r"""A point of the dual program over all laws of two errors on Z².

    Theorem: let y_v(x) ≥ 0 for shifts v that one unit can cause, 0 for all but finitely many x.
    With μ = min over x in Z² of (c(x₁) + c(x₂))/2 + Σ_v (y_v(x) − e^ε·y_v(x − v)), the mean of
    E c(errorᵢ) over all answers is at least μ − δ·Σ_v max_x y_v(x), for every mechanism that adds
    noise on the lattice, independent of the true answers, under (ε, δ).
    Proof: docs/proofs/many_counts.md, section 3.

    Attributes:
        first: the least place of the rows, on both axes.
        bits: the common denominator of all variables is 2^bits.
        rows: one for each shift in use.
    """

    first: int
    bits: int
    rows: tuple[PairRow, ...]


@dataclass(frozen=True)
class MovedCounts:
    r"""How many answers a random unit moves, by Δ each: chance by number.

    Theorem: docs/proofs/many_counts.md, section 4: the mean variance of unbiased answers is at
    least (tr M^½)²/(k·4·sinh²(ε/2)), M = E[v·vᵀ] for the unit's change v. If each answer may move
    either way, signs are random, the numbers do not matter, and M = Δ²·I.

    Attributes:
        chances: pairs of a number of answers and its chance; empty if answers move either way.
    """

    chances: tuple[tuple[int, Fraction], ...]


AnswersWitness = PairDual | MovedCounts
