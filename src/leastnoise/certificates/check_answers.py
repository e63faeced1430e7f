"""Is a bound for many answers proved by its witness? Decided in exact arithmetic."""

from fractions import Fraction
from typing import assert_never

from flint import arb

from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.answers_witness import AnswersWitness, MovedCounts, PairDual
from leastnoise.certificates.unbiased_bound import unbiased_bound
from leastnoise.numeric import ball as balls
from leastnoise.numeric.cost import Moment

_MOST_EPSILON = 4096
_MOST_CELLS = 1 << 20  # a stranger's rows must not keep a checker busy
_MOST_BITS = 1 << 10  # for the same reason
_MOST_PRICE = 1 << 12
_SQUARED = Moment(2)


def proved_bound(problem: AnswersProblem, witness: AnswersWitness) -> Fraction | None:
    """What no mechanism in the witness's scope falls below; None if it proves nothing."""
    if not problem.is_sound or problem.epsilon > _MOST_EPSILON:
        return None
    match witness:
        case PairDual():
            return pair_bound(problem, witness) if _well_formed(problem, witness) else None
        case MovedCounts():
            return moved_bound(problem, witness)
        case _:
            assert_never(witness)


def _well_formed(problem: AnswersProblem, dual: PairDual) -> bool:
    shifts = [row.shift for row in dual.rows]
    size = len(dual.rows[0].values) if dual.rows else 0
    square = all(
        len(row.values) == size and all(len(line) == size for line in row.values)
        for row in dual.rows
    )
    side = size + 2 * problem.sensitivity
    return (
        0 <= dual.bits <= _MOST_BITS
        and problem.single.price_bits <= _MOST_PRICE
        and square
        and dual.first <= 0  # prices fall towards the middle, which the rows must hold
        and dual.first + size >= 2
        and side * side * max(1, len(dual.rows)) <= _MOST_CELLS
        and len(set(shifts)) == len(shifts)
        and all(map(problem.allows, shifts))
        and all(min(line, default=0) >= 0 for row in dual.rows for line in row.values)
    )


def pair_bound(problem: AnswersProblem, dual: PairDual) -> Fraction:
    r"""μ − δ·Σ_v max_x y_v(x), with e^ε rounded up.

    Outside the rows and one shift around them only the price is left, and it does not fall with
    the distance: the nearest such place settles the endless rest.
    """
    unit = Fraction(1, 2**dual.bits)
    size, reach = len(dual.rows[0].values), problem.sensitivity
    places = range(dual.first - reach, dual.first + size + reach)
    prices = {place: problem.price(place) for place in (*places, places.start - 1, places.stop)}
    slack = _slacks(problem, dual)
    level = min(
        (prices[a] + prices[b]) / 2 + slack.get((a, b), Fraction(0)) * unit
        for a in places
        for b in places
    )
    nearest = min(problem.price(0), problem.price(int(problem.halves)))
    beyond = (min(prices[places.start - 1], prices[places.stop]) + nearest) / 2
    tops = sum(max(map(max, row.values)) for row in dual.rows)
    return min(level, beyond) - problem.delta * tops * unit


def _slacks(problem: AnswersProblem, dual: PairDual) -> dict[tuple[int, int], Fraction]:
    """Σ_v (y_v(x) − e^ε·y_v(x − v)) by place, in units of 2^−bits."""
    factor = Fraction(problem.single.factor().upper)
    gives: dict[tuple[int, int], int] = {}
    takes: dict[tuple[int, int], int] = {}
    for row in dual.rows:
        for i, line in enumerate(row.values, dual.first):
            for j, value in enumerate(line, dual.first):
                if value:
                    gives[i, j] = gives.get((i, j), 0) + value
                    there = i + row.shift[0], j + row.shift[1]
                    takes[there] = takes.get(there, 0) + value
    return {
        place: gives.get(place, 0) - factor * takes.get(place, 0)
        for place in gives.keys() | takes.keys()
    }


def moved_bound(problem: AnswersProblem, witness: MovedCounts) -> Fraction | None:
    """(tr M^½)²/(k·χ²), rounded down."""
    if problem.delta or problem.cost != _SQUARED or not _is_law(problem, witness):
        return None
    k, moved = problem.count, (problem.sensitivity * problem.step) ** 2
    if not problem.one_sided:
        return unbiased_bound(Fraction(k * k), epsilon=problem.epsilon) * moved / k
    apart = sum((m * (k - m) * p for m, p in witness.chances), Fraction(0)) / (k * (k - 1))
    common = sum((m * m * p for m, p in witness.chances), Fraction(0)) / k

    def trace() -> arb:
        return ((k - 1) * balls.ball(apart).sqrt() + balls.ball(common).sqrt()) ** 2

    root = Fraction(balls.enclosure(trace).lower)
    return unbiased_bound(root, epsilon=problem.epsilon) * moved / k


def _is_law(problem: AnswersProblem, witness: MovedCounts) -> bool:
    if not problem.one_sided:
        return not witness.chances
    within = all(0 <= m <= problem.count and chance >= 0 for m, chance in witness.chances)
    return within and sum(chance for _, chance in witness.chances) == 1
