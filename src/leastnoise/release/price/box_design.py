"""Centred noise for a few numbers, or for equal ones, where the number of units is not shown."""

from itertools import product

import numpy as np

from leastnoise.release.price.centred_design import CentredDesign, Floats, Kinds

_MOST_CORNERS = 1 << 12
_MOST_FREE = 5
_WIDTHS = (3.0, 0.2, 0.02, 0.002, 0.0002)


def box_design(kinds: Kinds, weights: Floats) -> CentredDesign | None:
    r"""The best precisions for boxes alone, if they are equal or few; else None.

    If the number of units is not shown, a unit that moves x by v may be taken to add any c to it.
    For precisions p and centres m, and 1 for the number of units, v is then worth
    Σ p·v² − (Σ p·m·v)²/(1 + Σ p·m²): less than with one c for all.
    """
    if (kinds.cells > 1).any() or not (kinds.low + kinds.high).any() or not weights.all():
        return None
    if len(weights) == 1 and 1 < kinds.blocks[0] < _MOST_CORNERS:
        return _equal(kinds)
    return _few(kinds, weights) if 1 < kinds.blocks.sum() <= _MOST_FREE else None


def _equal(kinds: Kinds) -> CentredDesign:
    """One kind of box: which ratio of its precision to the common one is best."""
    count, middle = kinds.blocks[0], (kinds.low[0] + kinds.high[0]) / 2
    highs = np.arange(count + 1)
    norm = highs * kinds.high[0] ** 2 + (count - highs) * kinds.low[0] ** 2
    along = highs * kinds.high[0] + (count - highs) * kinds.low[0]

    def worst(ratio: Floats) -> Floats:
        return np.asarray(np.max(norm - along**2 / (ratio[:, None] + count), axis=1))

    best = float(np.sqrt(count))
    for width in _WIDTHS:
        tried = best * np.exp(np.linspace(-width, width, 201))
        best = float(tried[np.argmin((1 + 1 / tried) * worst(tried))])
    price = float(worst(np.array([best]))[0])
    return CentredDesign(best * middle**2, np.ones(1), np.array([middle]), np.zeros(1), price)


def _few(kinds: Kinds, weights: Floats) -> CentredDesign | None:
    """A few boxes: precisions and centres by a local search over all corners."""
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    # In units of their weights all numbers weigh 1, and the search is well conditioned.
    unit = 1 / np.sqrt(kinds.blocks * weights * (kinds.high - kinds.low) ** 2).max()
    unit = unit * np.sqrt(weights)
    low, high, size = unit * kinds.low, unit * kinds.high, len(weights)
    highs = np.array(list(product(*(range(int(count) + 1) for count in kinds.blocks))))
    norms = highs * high**2 + (kinds.blocks - highs) * low**2
    sums = highs * high + (kinds.blocks - highs) * low

    def slack(found: Floats) -> Floats:
        own, centre = np.exp(found[:size]), found[size:]
        along = sums @ (own * centre)
        return np.asarray(1 - norms @ own + along**2 / (1 + kinds.blocks @ (own * centre**2)))

    def cost(found: Floats) -> float:
        return float(np.log(kinds.blocks @ (np.exp(-found[:size]) + found[size:] ** 2)))

    half, middle = np.maximum((high - low) / 2, 1e-6), (high + low) / 2
    common = np.sqrt(kinds.blocks @ middle**2)
    price = common + kinds.blocks @ half
    start = np.concatenate([-np.log(half * price), middle * np.sqrt(price / common)])
    rule = {"type": "ineq", "fun": slack}
    found = minimize(
        cost, start, method="SLSQP", constraints=rule, options={"maxiter": 300, "ftol": 1e-9}
    ).x
    worst = float(1 - slack(found).min())
    if not worst * np.exp(cost(found)) < price**2:
        return None
    return CentredDesign(
        1.0, np.exp(found[:size]) * unit**2, found[size:] / unit, np.zeros(size), worst
    )
