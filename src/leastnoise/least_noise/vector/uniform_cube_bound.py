r"""What no (0, δ)-DP noise on the integers can beat, from events {x ≥ k} alone."""

from fractions import Fraction
from math import ceil

from leastnoise.errors import UnsupportedQuery

MOST_SENSITIVITY = 1 << 12


def half_line_bound(sensitivity: int, delta: Fraction, order: int) -> Fraction:
    r"""The least Σ over tails that the half-lines allow: a lower bound on E|X|^order, order 1 or 2.

    Theorem: let X on the integers be (0, δ)-DP at sensitivity Δ. Mixed evenly with −X it is
    symmetric; with T(k) = P(X ≥ k), E|X| = 2·ΣT(k) and EX² = 2·Σ(2k−1)·T(k) over k ≥ 1, where
    T(k+Δ) ≥ T(k) − δ and T(j+1) + T(Δ−j) ≥ 1 − δ for 0 ≤ j < Δ. For each pair of residues j and
    Δ−1−j this is a convex, piecewise linear problem in one variable with its kinks at multiples
    of δ, solved exactly.
    Proof: docs/proofs/optimal_vectors.md, section 8.

    Example:
        >>> half_line_bound(2, Fraction(1, 4), 2), half_line_bound(3, Fraction(1, 4), 1)
        (Fraction(5, 1), Fraction(3, 1))
    """
    if order == 2 and sensitivity > MOST_SENSITIVITY:
        raise UnsupportedQuery(
            f"`sensitivity` must be at most {MOST_SENSITIVITY} for this bound on squares; got "
            f"{sensitivity}. Ask for order 1, or count in coarser units."
        )
    if order == 1:
        middle = (1 - delta) / 2
        return 2 * sensitivity * _spread(middle, delta, 1, 0)
    pairs = range(sensitivity // 2)
    total = sum((2 * _least_pair(j, sensitivity, delta) for j in pairs), Fraction(0))
    return total + (_least_pair(sensitivity // 2, sensitivity, delta) if sensitivity % 2 else 0)


def _least_pair(j: int, period: int, delta: Fraction) -> Fraction:
    """The least g_j(u) + g_i(1−δ−u), i = Δ−1−j, where 2·g_j(T(j+1)) is what residue j adds to EX².

    That factor 2 makes every pair count twice, and a residue that is its own partner once.
    """
    whole = 1 - delta
    other = period - 1 - j

    def total(u: Fraction) -> Fraction:
        rest = whole - u
        return _spread(u, delta, 2 * j + 1, 2 * period) + _spread(
            rest, delta, 2 * other + 1, 2 * period
        )

    near = ceil(whole / (2 * delta))
    kinks = [n * delta for n in range(max(0, near - 2), near + 3)]
    places = [u for kink in kinks for u in (kink, whole - kink) if 0 <= u <= whole]
    return min(total(u) for u in places)


def _spread(u: Fraction, delta: Fraction, first: int, growth: int) -> Fraction:
    """Σ (first + growth·m)·max(0, u − m·δ) over m ≥ 0, in closed form."""
    n = ceil(u / delta)
    ones, steps, squares = n, n * (n - 1) // 2, (n - 1) * n * (2 * n - 1) // 6
    flat = u * ones - delta * steps
    return first * flat + growth * (u * steps - delta * squares)
