"""Vector laws that keep a promise, each the best of its family or close to it."""

from fractions import Fraction
from math import expm1, log1p

from leastnoise.least_noise.vector.best_vector_width import best_width
from leastnoise.least_noise.vector.vector_problem import VectorProblem
from leastnoise.least_noise.vector.width_by_floats import searched_width
from leastnoise.noise.laws.canonical import Canonical
from leastnoise.noise.laws.truncated_laplace import TruncatedLaplace
from leastnoise.noise.laws.uniform import Uniform
from leastnoise.noise.vectors.independent import Independent
from leastnoise.noise.vectors.norm_laplace import NormLaplace
from leastnoise.noise.vectors.norm_staircase import NormStaircase
from leastnoise.noise.vectors.truncated_norm_staircase import TruncatedNormStaircase
from leastnoise.noise.vectors.vector_law import VectorLaw
from leastnoise.numeric.inverse import least_integer

MOST_SETTLED_DIMENSION = 128
_MOST_STAIRCASE_DIMENSION = 1024
_MOST_LAYERS = 2048
_SHARES = 1 << 10
_SMALL_SENSITIVITY = 64
_NEARLY_ONE = 1 - 1e-9
_WORTHWHILE = Fraction(256, 100)  # (1.6)², see `worthwhile_epsilon`


def laws(problem: VectorProblem) -> list[VectorLaw]:
    """What may be chosen from; every one is made to prove its privacy when it is chosen."""
    if not problem.delta:
        return [staircase_law(problem)]
    found: list[VectorLaw | None] = [independent_law(problem), truncated_law(problem)]
    if problem.epsilon:
        found.append(staircase_law(problem))
    return [law for law in found if law is not None]


def width_is_settled(problem: VectorProblem) -> bool:
    """Whether the width of `staircase_law` is proved to be the best one."""
    return problem.order is not None and problem.dimension <= MOST_SETTLED_DIMENSION


def staircase_law(problem: VectorProblem) -> NormStaircase | NormLaplace:
    """The norm staircase of the best width; in very many dimensions the Laplace law it tends to."""
    if not _gains(problem):
        return laplace_law(problem)
    return NormStaircase(
        dimension=problem.dimension,
        sensitivity=problem.steps,
        epsilon=problem.epsilon,
        width=_width(problem),
        norm=problem.norm,
    )


def _gains(problem: VectorProblem) -> bool:
    """Whether a staircase is priced at all: in many dimensions only where it may save 1 %."""
    few = problem.dimension <= MOST_SETTLED_DIMENSION
    large = problem.epsilon**2 > _WORTHWHILE * problem.dimension
    return few or (large and problem.dimension <= _MOST_STAIRCASE_DIMENSION)


def laplace_law(problem: VectorProblem) -> NormLaplace:
    """Weights that fall at every step of the norm."""
    return NormLaplace(problem.dimension, problem.steps / problem.epsilon, problem.norm)


def _width(problem: VectorProblem) -> int:
    if problem.steps == 1 or not problem.epsilon:
        return 1
    if problem.order is not None and width_is_settled(problem):
        return best_width(
            dimension=problem.dimension,
            sensitivity=problem.steps,
            epsilon=problem.epsilon,
            norm=problem.norm,
            order=problem.order,
        )
    return searched_width(problem)


def independent_law(problem: VectorProblem) -> Independent | None:
    """The same bounded noise on every coordinate; for ℓ1 only, and not for a very large delta."""
    if problem.norm != "l1":
        return None
    law: Canonical | TruncatedLaplace | Uniform
    if problem.steps == 1:
        law = Canonical(epsilon=problem.epsilon, delta=problem.delta)
    elif problem.epsilon:
        law = TruncatedLaplace(
            sensitivity=problem.steps, epsilon=problem.epsilon, delta=problem.delta
        )
    else:
        law = Uniform(sensitivity=problem.steps, delta=problem.delta)
    support = law.support
    assert support is not None  # delta is positive
    return Independent(law, problem.dimension) if support[1] >= problem.steps else None


def truncated_law(problem: VectorProblem) -> TruncatedNormStaircase | None:
    """The norm staircase of the width that is best without a cut, cut off where it leaks delta.

    The radius is the least at which the search finds the promise kept; None if the law would have
    so many steps that cutting it off gains nothing.
    """
    if problem.dimension > MOST_SETTLED_DIMENSION:
        return None
    width, guess = _width(problem), _radius_guess(problem)
    if problem.epsilon and guess > _MOST_LAYERS * problem.steps:
        return None
    radius = least_integer(lambda r: _keeps(problem, _cut(problem, width, r)), 0, guess)
    if problem.steps > _SMALL_SENSITIVITY or not radius:
        return _cut(problem, width, radius)
    share = least_integer(
        lambda s: (
            s >= _SHARES or _keeps(problem, _cut(problem, width, radius, Fraction(s, _SHARES)))
        ),
        1,
        _SHARES // 2,
    )
    return _cut(problem, width, radius, Fraction(share, _SHARES))


def _cut(
    problem: VectorProblem, width: int, radius: int, edge: Fraction = Fraction(1)
) -> TruncatedNormStaircase:
    return TruncatedNormStaircase(
        dimension=problem.dimension,
        sensitivity=problem.steps,
        epsilon=problem.epsilon,
        width=width,
        radius=radius,
        norm=problem.norm,
        edge=edge,
    )


def _keeps(problem: VectorProblem, law: TruncatedNormStaircase) -> bool:
    return law.shape.divergence(problem.epsilon, problem.steps).compare(problem.delta) <= 0


def _radius_guess(problem: VectorProblem) -> int:
    """Where the tail of the endless law falls to delta, or where a ball leaks that much."""
    if problem.epsilon > problem.delta:
        return staircase_law(problem).quantile(1 - problem.delta)
    share = -expm1(log1p(-min(float(problem.delta), _NEARLY_ONE)) / problem.dimension)
    return int(problem.steps / (2 * Fraction(share)))
