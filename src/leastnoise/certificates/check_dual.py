r"""Is a dual point feasible, on all of the integers, and which bound does it prove?"""

from fractions import Fraction

from leastnoise.certificates.problem import Problem
from leastnoise.certificates.witness import Dual

_MOST_WORK = 1 << 23  # multipliers: a stranger's rows must not keep a checker busy
_MOST_BITS = 1 << 29  # places times digits, for the same reason
_MOST_SILENT = 1 << 16  # places without a multiplier of their own
_FACTOR_BITS = 256  # e^ε is bracketed to 192, and has digits before the point


def dual_is_feasible(problem: Problem, dual: Dual) -> bool:
    r"""Whether every inequality of the dual program holds, for every j ≥ 0.

    e^ε, which only ever stands before what is subtracted, is replaced by a rational B ≥ e^ε, and
    costs by lower bounds. Beyond the last place with a multiplier of its own the inequalities read
    2·(c(j) − μ) ≥ (B − 1)·Σ_d beyond_d: since c does not decrease, the first of them settles the
    endless rest.
    """
    if not _well_formed(problem, dual):
        return False
    slacks = dual_slacks(problem, dual)
    endless = sum(row.beyond for row in dual.rows) * (Fraction(problem.factor().upper) - 1)
    rest = 2 * (problem.price(len(slacks)).lower - dual.level) - endless / 2**dual.bits
    return min(slacks) >= 0 and rest >= 0


def dual_bound(problem: Problem, dual: Dual) -> Fraction:
    """μ − δ·Σ_d max_k y_d(k)."""
    tops = sum(row.top for row in dual.rows)
    return dual.level - problem.delta * Fraction(tops, 2**dual.bits)


def dual_slacks(problem: Problem, dual: Dual) -> list[Fraction]:
    """What each inequality has to spare, up to the last place with a multiplier of its own."""
    factor, unit = Fraction(problem.factor().upper), Fraction(1, 2**dual.bits)
    slacks = []
    for j, (gives, takes) in enumerate(_sums(dual)):
        price = Fraction(problem.price(j).lower)
        slacks.append((2 if j else 1) * (price - dual.level) + (gives - factor * takes) * unit)
    return slacks


def _well_formed(problem: Problem, dual: Dual) -> bool:
    shifts = [row.shift for row in dual.rows]
    return (
        dual.bits >= 0
        and dual_reach(dual) <= _MOST_SILENT + 4 * sum(len(row.values) for row in dual.rows)
        and (dual_reach(dual) + 1) * len(dual.rows) <= _MOST_WORK
        and (dual_reach(dual) + 1) * _bits(problem, dual) <= _MOST_BITS
        and len(set(shifts)) == len(shifts)
        and all(1 <= shift <= problem.sensitivity for shift in shifts)
        and all(min(row.beyond, *row.values, 0) >= 0 for row in dual.rows)
    )


def _bits(problem: Problem, dual: Dual) -> int:
    level = dual.level
    sizes = dual.bits, level.numerator.bit_length(), level.denominator.bit_length()
    return problem.price_bits + sum(sizes) + _FACTOR_BITS


def dual_reach(dual: Dual) -> int:
    """Beyond it every row has its endless value, at the place itself and one shift before."""
    ends = [0]
    for row in dual.rows:
        ends += [-row.first, row.last + row.shift]
    return max(ends)


def _sums(dual: Dual) -> list[tuple[int, int]]:
    """For every j ≥ 0: what multipliers add, and what they take away before the factor e^ε."""
    reach = dual_reach(dual)
    gives, takes = [0] * (reach + 1), [0] * (reach + 1)
    for short in dual.rows:
        row = short.upto(reach)
        for k, value in enumerate(row.values, row.first):
            gives[abs(k)] += value
            if abs(k + row.shift) <= reach:  # the rest is the endless part's concern
                takes[abs(k + row.shift)] += value
    return list(zip(gives, takes, strict=True))
