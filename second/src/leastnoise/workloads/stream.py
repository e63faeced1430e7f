r"""`running_totals`: the least noise for totals that are published step by step.

Every positive definite K is C^T*C for a lower triangular C. Measuring C*x step by step gives each
running total the error that the best estimate from all measurements has, so nothing is lost by
publishing early, and the search is for K alone. Everything in here is a search: privacy follows from
the integers that come out (`factor`), and how good they are from their certificate.

Units in one step. With pi a law on steps, theta one on totals, w = 1/theta and N the tridiagonal
matrix with the diagonal w_1, w_1 + w_2, ... and -w_t beside it, the best K for pi is the integral
over t > 0 of (2/pi)*(N + t^2*D_pi)^-1; pi is best if all K_tt are the same. A sum of some ten of these
inverses has a C with as many buffers (`Factor`): ten numbers say what a step needs of those before.

Units in several steps: C has equal entries along its diagonals, that fall away from it; columns are
scaled afterwards. Pure epsilon: trees of few wide levels with unequal rates.

Proof page: docs/proofs/running_totals.md.
"""

import math
from fractions import Fraction
from itertools import accumulate, product
from operator import mul

import numpy as np

from leastnoise.mechanisms.additive import gaussian
from leastnoise.noise.laws import RoundedGaussian
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Exact, positive, whole
from leastnoise.workloads import stream_certificate as proof
from leastnoise.workloads.factor import (
    MOST_STEPS,
    POINT,
    Factor,
    Floats,
    Integers,
    Participation,
    squared_sensitivity,
)
from leastnoise.workloads.stream_noise import (
    PARTS,
    Objective,
    StepNoise,
    StreamNoise,
    TreeNoise,
    combined,
    laplace_variances,
)

_TURNS, _ENOUGH = 100, 1e-6  # of the search for the law; the gap at which it ends
_PATTERN_TURNS = 25  # the same, where units are in several steps
_FARTHEST = Fraction(10) ** 250  # what floats can still tell
_POWER = 1.5  # of K_tt, by which the law is multiplied in a turn
_BEYOND = 17  # the spectrum, in ln t: where nodes of the integral are
_PLACES = 2000  # of the spectrum at which a sum of inverses is fitted
_KNOTS = 12  # of a column
_DAMPED = 0.25  # how much of a column's scale is mended in a turn
_SHARES = 64  # of the rates of a tree: each gets a whole number


def running_totals(
    steps: int,
    *,
    max_participations: int = 1,
    min_separation: int = 1,
    objective: Objective | None = None,
    sensitivity: Exact = 1,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    mu: Exact | None = None,
) -> StepNoise:
    """The least noise for running totals of a schedule: after each step, the sum of all so far.

    Gaussian noise for mu, rho, or epsilon and delta; a certificate says how near to the least it is.
    For epsilon alone, Laplace noise on blocks of steps (`TreeNoise`), made for "mean square": it may
    err less than epsilon with a tiny delta. The budget is for all steps together. Differences of
    totals are the sums of days, weeks, months.

    Args:
        steps: how many the schedule has: up to 4096, and up to 1024 if units are in several.
        max_participations: in how many steps one unit may be.
        min_separation: at least how many steps after one of them the next may be.
        objective: "worst" makes the largest error of a total small, "mean square" the mean of their
            squares. The default is "worst"; where units are in several steps it is "mean square".
        sensitivity: how far one unit moves the totals of a step: the l2 norm over all groups; for
            epsilon alone the l1 norm.
        epsilon: alone, or with delta.
        delta: with epsilon.
        rho: of zCDP.
        mu: of Gaussian differential privacy.

    >>> year = running_totals(365)
    >>> year
    365 running totals with Gaussian noise, 1-GDP: the last one has a standard deviation of 2.642 (no budget was given)
    >>> year.certificate()
    365 totals, one step per unit, Gaussian: worst error within 1.00003 of the least of all linear unbiased mechanisms
    """  # noqa: E501
    count, allowed = whole(steps, "steps"), Participation(max_participations, min_separation)
    several = allowed.times(count) > 1
    if count > (most := proof.MOST_STEPS_OF_SEVERAL if several else MOST_STEPS):
        raise InvalidInput(f"steps is {count}. Give at most {most}, or make two schedules.")
    usual: Objective = "mean square" if several else "worst"
    chosen = usual if objective is None else objective
    if not isinstance(chosen, str) or chosen not in [*proof.OBJECTIVES]:
        raise InvalidInput(f'objective is {chosen!r:.40}. Give "worst" or "mean square".')
    size = positive(sensitivity, "sensitivity")
    if epsilon is not None and delta is None and rho is None and mu is None:
        amount = positive(epsilon, "epsilon")
        if not 1 <= _FARTHEST * amount / size <= _FARTHEST**2:
            raise InvalidInput("epsilon is too small or too large beside the sensitivity.")
        return _best_tree(count, allowed, size, amount)
    if several and chosen == "worst":
        raise InvalidInput('Where units are in several steps, objective is "mean square".')
    no_budget = all(each is None for each in (epsilon, delta, rho, mu))
    one = gaussian(sensitivity=1, epsilon=epsilon, delta=delta, rho=rho, mu=1 if no_budget else mu)
    if several:
        factor, law = _toeplitz(count, allowed), _best_patterns(count, allowed)
    else:
        law, known = best_law(count, worst=chosen == "worst")
        factor = _buffers(law, known)
    assert isinstance(one.law, RoundedGaussian)
    squared = size**2 * squared_sensitivity(factor.matrix, allowed)
    chances = tuple(max(1, int(each)) for each in np.rint(law * PARTS))
    variance, promise = math.ceil(squared * one.law.variance), None if no_budget else one.promise
    if variance > _FARTHEST:
        raise InvalidInput("The noise is too wide. Give a larger budget or a smaller sensitivity.")
    return StreamNoise(factor, allowed, variance, size, chosen, chances, promise)


# Units in one step: the best law, and buffers


def best_law(steps: int, *, worst: bool, enough: float = _ENOUGH) -> tuple[Floats, Floats]:
    """The law pi, and w: one over the weight of the variance of each total."""
    law = np.full(steps, 1 / steps)
    best, least = (law, law), math.inf
    for _ in range(_TURNS):
        # Time reversed swaps the two sides: the worst total is as likely as the mirrored step.
        weights = 1 / law[::-1] if worst else np.full(steps, float(steps))
        low, high = _spectrum(weights, law)
        nodes = np.exp(np.arange(math.log(low) / 2 - _BEYOND, math.log(high) / 2 + _BEYOND, 0.5))
        above, below, _ = _pivots(weights, law, nodes**2)
        diagonal = (nodes / (above + below)).sum(axis=1) / math.pi  # (2/pi) * 0.5 for each node
        root = law @ diagonal
        gap = float(diagonal.max() / root) - 1
        if gap < least:
            best, least = (law, weights), gap
        if gap < enough:
            break
        law = law * (diagonal / root) ** _POWER
        law = law / law.sum()
    return best


def _spectrum(weights: Floats, law: Floats) -> tuple[float, float]:
    """Numbers that the eigenvalues of D_pi^(-1/2)*N*D_pi^(-1/2) surely lie between."""
    return 1 / float((1 / weights).sum()), 4 * float(weights.max() / law.min())


def _pivots(weights: Floats, law: Floats, taus: Floats) -> tuple[Floats, Floats, Floats]:
    """p, r and tau*pi + r of N + tau*D_pi: a row for each step, a column for each tau.

    Entry (t, t) of the inverse is 1/(p_t + r_t). No step subtracts, so floats lose nothing.
    """
    own = law[:, None] * taus
    above, below = np.empty_like(own), np.empty_like(own)
    above[0], below[-1] = own[0], weights[-1]
    for t in range(1, len(law)):
        w, before = weights[t - 1], above[t - 1]
        above[t] = own[t] + w * before / (w + before)
    for t in range(len(law) - 1, 0, -1):
        w, after = weights[t - 1], own[t] + below[t]
        below[t - 1] = w * after / (w + after)
    return above, below, own + below


def _buffers(law: Floats, weights: Floats) -> Factor:
    """A sum of inverses that is near to the best K, as a factor whose columns have length 1."""
    from scipy.optimize import nnls

    low, high = _spectrum(weights, law)
    first, last = math.log(low) / 2 - 1.6, math.log(high) / 2 + 1.6
    taus = np.exp(2 * np.linspace(first, last, max(2, math.ceil(last - first) + 1)))
    places = np.geomspace(low, high, _PLACES)
    shapes = np.sqrt(places)[:, None] / (places[:, None] + taus)
    omegas, _ = nnls(shapes, np.ones(_PLACES), maxiter=1000 * len(taus))
    taus, omegas = taus[omegas > 0], omegas[omegas > 0]
    above, below, forward = _pivots(weights, law, taus)
    before = np.concatenate(([0.0], weights[:-1]))[:, None]
    decay, intake = before / (before + forward), omegas / (above + below)
    direct, outlet = _factored(decay, intake)
    scale = 1 / np.sqrt(intake.sum(axis=1))
    intake, direct = intake * scale[:, None], direct * scale
    largest = intake.max(axis=0)
    return Factor(
        decay=_rounded(decay),
        intake=_rounded(intake / largest),
        outlet=_rounded(outlet * largest),
        direct=_rounded(direct),
    )


def _factored(decay: Floats, intake: Floats) -> tuple[Floats, Floats]:
    """The direct part and the outlet of the triangular factor, from the last step back."""
    steps, count = decay.shape
    direct, outlet, later = np.empty(steps), np.empty(decay.shape), np.zeros((count, count))
    for t in range(steps - 1, -1, -1):
        seen = later @ intake[t]
        direct[t] = math.sqrt(intake[t].sum() - intake[t] @ seen)
        outlet[t] = (1 - seen) / direct[t]
        later = (later + np.outer(outlet[t], outlet[t])) * np.outer(decay[t], decay[t])
    return direct, outlet


def _rounded(values: Floats) -> Integers:
    return np.rint(np.ldexp(values, POINT)).astype(np.int64)


# Units in several steps


def _toeplitz(steps: int, allowed: Participation) -> Factor:
    """A first column that falls, the best of those with some knots, and scales of the columns."""
    from scipy.optimize import minimize
    from scipy.signal import lfilter

    one, apart, times = np.eye(steps)[0], allowed.min_separation, allowed.times(steps)
    begin = np.zeros(steps)  # a column that falls costs most for early steps in a row
    begin[: apart * (times - 1) + 1 : apart] = 1
    knots = np.linspace(0, math.log(steps - 1), _KNOTS) if steps > 2 else np.zeros(1)
    places = np.log(np.arange(1, steps))

    def column(free: Floats) -> Floats:
        quotients = 1 / (1 + np.exp(-np.interp(places, knots, free)))
        return np.concatenate(([1.0], np.cumprod(quotients)))

    def cost(free: Floats) -> float:
        first = column(free)
        moved = lfilter(first, [1.0], begin)
        totals = np.cumsum(lfilter([1.0], first, one))
        return float(np.log((moved @ moved) * (totals**2 @ np.arange(steps, 0, -1))))

    start = np.log(2 * np.exp(knots) - 1)  # quotients (2k - 1)/(2k): the root of A
    first = column(minimize(cost, start, method="L-BFGS-B").x)
    matrix = np.tril(first[np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))])
    scale = _scales(matrix, times) if apart == 1 else np.ones(steps)
    longest = math.sqrt(((matrix * scale) ** 2).sum(axis=0).max())
    return Factor(column=_rounded(first), scale=_rounded(scale / longest))


def _scales(matrix: Floats, times: int) -> Floats:
    """Of columns, until all rows of steps that a unit may be in cost about the same."""
    inverse, scale, best, least = np.linalg.inv(matrix), np.ones(len(matrix)), None, math.inf
    while True:
        sums = np.cumsum(np.pad(matrix * scale, ((0, 0), (1, 0))), axis=1)
        blocks = ((sums[:, times:] - sums[:, :-times]) ** 2).sum(axis=0)
        variances = np.cumsum(inverse / scale[:, None], axis=0) ** 2
        cost = float(blocks.max() * variances.sum())
        if best is not None and cost >= least * (1 - 1e-5):
            return best
        best, least = scale, cost
        edges = np.pad(blocks, times - 1, mode="edge")
        around = np.convolve(edges, np.ones(times) / times, "valid")
        scale = scale * (blocks.max() / around) ** _DAMPED


def _best_patterns(steps: int, allowed: Participation) -> Floats:
    """The least favourable law of the step that units of `moved_totals` begin at."""
    law = np.full(steps, 1 / steps)
    for _ in range(_PATTERN_TURNS):
        totals = proof.moved_totals(law, allowed)
        squares, turned = np.linalg.eigh(totals.T @ totals)  # a tenth of the time of an SVD
        polar = (totals @ turned) / np.sqrt(np.maximum(squares, squares[-1] * 1e-15)) @ turned.T
        pulls = np.einsum("tb,tb->b", polar, totals) / law
        law = law * np.maximum(pulls, 0) ** 2
        law = np.maximum(law / law.sum(), 1e-12)
    return np.asarray(law / law.sum())


# Trees


def _best_tree(steps: int, allowed: Participation, size: Fraction, epsilon: Fraction) -> TreeNoise:
    """The tree with the least mean variance of all running totals, of up to three levels."""
    rate, totals = epsilon / (allowed.times(steps) * size), np.arange(steps + 1)
    best, least = TreeNoise(steps, (), (rate,), allowed, size), math.inf
    widths = sorted({*range(2, 25), *np.geomspace(2, 2 + steps, 20).astype(int).tolist()})
    for levels in range(1, 4):
        parts = _divisions(levels)
        known = laplace_variances(parts * float(rate) / _SHARES)
        for branching in product(widths, repeat=levels - 1):
            if math.prod(branching) > steps:
                continue
            sizes, times = accumulate(branching, mul, initial=1), (*branching, steps + 1)
            digits = [
                (totals // size % most).mean() for size, most in zip(sizes, times, strict=True)
            ]
            costs = np.array(digits) @ combined(known, branching)
            at = int(costs.argmin())
            if costs[at] < least:
                rates = tuple(Fraction(int(each), _SHARES) * rate for each in parts[:, at])
                best, least = TreeNoise(steps, branching, rates, allowed, size), costs[at]
    return best


def _divisions(levels: int) -> Floats:
    """All ways to divide 64 parts: a row for each level."""
    some = product(range(1, _SHARES), repeat=levels - 1)
    return np.array([(_SHARES - sum(each), *each) for each in some if sum(each) < _SHARES], float).T
