"""Which chances a response chain should have: a search in floats, to be certified afterwards."""

import numpy as np

from leastnoise.groupwise.even_gaps import Floats, bent_gaps

_ROUNDS = 150  # of the search
_TERMS = 60  # steps towards the mean numbers of levels
_HALVINGS = 50  # nearly all digits of a float
_BORDERS = 200  # summed one by one; a formula takes the rest
# Beyond this error the channel is the better one at every relative error.
_REACH = 1.2
# A little room for what the search neglects.
_ROOM = 1 - 2.0**-14


def chain_chances(relative_error: float, first: float, sigma: float) -> Floats:
    r"""Chances u for the borders above the first count, each as large as the errors allow.

    The chain ends where the channel becomes the better one. Empty if that is at the beginning.

    Args:
        relative_error: the promised E|x̂ − x|/(x + a).
        first: x + a for the least count.
        sigma: of the channel, on the scale of logarithms.
    """
    most = int(np.ceil(_REACH / relative_error - first)) + 1
    if most <= 0:
        return np.empty(0)
    channel = (
        bent_gaps(relative_error, np.arange(most + 1, dtype=np.float64) + (first + 1), sigma) ** 2
        / 2
    )
    better = rho(_chances(relative_error, first, channel, most, sigma)) <= channel[:most]
    length = int(np.argmin(np.append(better, False))) + 1
    for borders in range(min(length, most), 0, -1):
        chances = _chances(relative_error, first, channel, borders, sigma)
        if np.all(rho(chances) <= channel[:borders]):
            return chances
    return np.empty(0)


def rho(chances: Floats) -> Floats:
    """(1−2u)·ln((1−u)/u)."""
    return (1 - 2 * chances) * np.log((1 - chances) / chances)


def _chances(
    relative_error: float, first: float, channel: Floats, borders: int, sigma: float
) -> Floats:
    """Chances for a chain of this length, evenly close to what the errors allow."""
    budgets: Floats = relative_error * _ROOM * (first + np.arange(borders, dtype=np.float64))
    beyond = _mean_excess(relative_error, first + borders, sigma)
    most = _chance_of(float(channel[borders]))
    u = np.minimum(_local_chances(budgets + relative_error / 2), most)
    up = down = np.ones(borders)
    for round_number in range(_ROUNDS):
        for _ in range(3 if round_number else _TERMS):
            up, down = _levels(u, up, down, beyond)
        left = budgets / _errors(u, up, down)
        u = np.minimum(u * np.sqrt(_shared(left)), most)
    return _feasible(_levelled_start(u, up, budgets), budgets, beyond)


def _local_chances(errors: Floats) -> Floats:
    """The u of two-sided geometric noise with this mean: 2u(1−u)/(1−2u) = error."""
    return (1 + errors - np.sqrt(1 + errors * errors)) / 2


def _chance_of(least_rho: float) -> float:
    """The u whose ρ is the given one: beyond it nothing is gained, as v must not grow."""
    low, high = 0.0, 0.5
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rho(np.array(middle)) > least_rho else (low, middle)
    return low


def _mean_excess(relative_error: float, top: float, sigma: float) -> float:
    """E(x̂ − top)⁺ of the channel at its first count."""
    from scipy.special import ndtr  # noqa: PLC0415 - slow to import

    gaps = bent_gaps(relative_error, np.arange(_BORDERS, dtype=np.float64) + (top + 1), sigma)
    places = np.concatenate([[0.0], np.cumsum(gaps)])
    near = float(ndtr(-((places[:-1] + places[1:]) / 2 + sigma)).sum())
    place = np.log1p(_BORDERS / top) / sigma + sigma
    far = top * np.exp(-(sigma**2) / 2) * ndtr(sigma - place) - (top + _BORDERS) * ndtr(-place)
    return near + max(float(far), 0.0)


def _levels(u: Floats, up: Floats, down: Floats, beyond: float) -> tuple[Floats, Floats]:
    """One step towards the mean numbers of levels gone by walks that cross a border."""
    return (
        np.append(1 + u[1:] / (1 - u[:-1]) * up[1:], 1 + beyond / (1 - u[-1])),
        np.append(1.0, 1 + u[:-1] / (1 - u[1:]) * down[:-1]),
    )


def _errors(u: Floats, up: Floats, down: Floats) -> Floats:
    errors: Floats = u * up
    errors[1:] += u[:-1] * down[:-1]
    return errors


def _shared(left: Floats) -> Floats:
    """How far each border may move: the geometric mean of what its two counts have left.

    The first border goes by its upper count alone, whose budget it must share with the next one.
    """
    if left.size == 1:
        return left
    return np.concatenate([left[1:2], np.sqrt(left[1:-1] * left[2:]), left[-1:]])


def _levelled_start(u: Floats, up: Floats, budgets: Floats) -> Floats:
    """The first two chances made equal: the least loss for the smallest groups."""
    if u.size == 1:
        return u
    common = min(budgets[1] / (1 + up[1]), budgets[0] / up[0])
    if not u[0] < common < u[1]:
        return u
    return np.concatenate([[common, common], u[2:]])


def _feasible(u: Floats, budgets: Floats, beyond: float) -> Floats:
    """Chances that do not fall, small enough for every budget."""
    u = np.minimum.accumulate(u[::-1])[::-1]
    for _ in range(4):
        u = u * min(1.0, float(np.min(budgets / _settled_errors(u, beyond))))
    return u


def _settled_errors(u: Floats, beyond: float) -> Floats:
    up = down = np.ones(u.size)
    for _ in range(_TERMS):
        up, down = _levels(u, up, down, beyond)
    return _errors(u, up, down)
