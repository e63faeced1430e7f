"""The law that the linear program for two counts finds, made exact and proved."""

from fractions import Fraction
from functools import partial

import numpy as np

from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.make_answers_bound import pair_chances
from leastnoise.least_noise.composed.composed_problem import ComposedProblem
from leastnoise.noise.vectors.pair_table import PairTable
from leastnoise.numeric.cost import Moment

_LEAST_DELTA = Fraction(1, 10**4)  # below, the program gains less than a hundredth
_SCALE = 2.0**56
_MARGINS = Fraction(1, 10**7), Fraction(1, 10**5), Fraction(1, 10**3)  # of δ, for rounding


def pair_law(problem: ComposedProblem) -> PairTable | None:
    """About the least noise on the lattice for two whole counts in one direction; None elsewhere.

    The solver's chances, made symmetric and rounded to whole weights, which prove their δ anew.
    """
    fits = problem.count == 2 and problem.steps == 1 and problem.step == 1
    if not (fits and problem.delta >= _LEAST_DELTA and isinstance(problem.cost, Moment)):
        return None
    return next((law for law in map(partial(_rounded, problem), _MARGINS) if law is not None), None)


def _rounded(problem: ComposedProblem, margin: Fraction) -> PairTable | None:
    """The law for a δ that is a little smaller, if rounding leaves it within δ."""
    assert isinstance(problem.cost, Moment)
    asked = AnswersProblem(2, True, 1, problem.epsilon, problem.delta * (1 - margin), problem.cost)
    chances = pair_chances(asked)
    if chances is None:
        return None
    even = chances + chances.T
    weights = np.rint(np.maximum(even + even[::-1, ::-1], 0.0) / 4 * _SCALE).astype(np.int64)
    middle = len(weights) // 2
    used = max(1, int(np.abs(np.argwhere(weights > 0) - middle).max(initial=1)))
    inner = slice(middle - used, middle + used + 1)
    law = PairTable(weights[inner, inner].tolist())
    return law if law.verify(epsilon=problem.epsilon, delta=problem.delta).holds else None
