"""Losses between a law on the integers and a shifted copy, listed, with proved errors.

Proof: docs/proofs/transforms.md, section 6.
"""

import numpy as np
from numpy.typing import NDArray

from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.shape import Shape
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.noise.shapes.weights import Weights
from leastnoise.numeric import ball as balls
from leastnoise.numeric.proved_floats import EXP_ERROR, TINY, UNIT, exp
from leastnoise.privacy.variables.grid_cells import RELATIVE_ERROR
from leastnoise.privacy.variables.listed_atoms import ListedAtoms
from leastnoise.privacy.variables.pooling import Floats

_BITS = 128


def shift_atoms(shape: Shape, shift: int, window: tuple[int, int], outside: float) -> ListedAtoms:
    """The finite losses of X against X + shift for values of X in the window.

    `outside` bounds the mass beyond the window. What is at ∞ is not listed.
    """
    if isinstance(shape, Weights):
        return _of_table(shape.by_value, shift)
    low, high = window
    exact, support = _exact(shape), shape.support
    # Where neither law is cut off, the other one has to be known further out.
    reach = 0 if exact or support is not None else min(abs(shift), high - low + 1)
    logs = shape.log_pmf(low - reach, high + reach)
    values = np.arange(low, high + 1)
    here = logs[reach : len(logs) - reach]
    masses = exp(np.maximum(here, -1e9))
    finite = np.ones(len(values), dtype=np.bool_)
    if support is not None:
        finite = (values - shift >= support[0]) & (values - shift <= support[1])
    if exact:
        losses, listed = _exact_losses(shape, shift, values), finite
    else:
        places = values - shift - (low - reach)
        known = (places >= 0) & (places < len(logs))
        there = np.where(known, logs[np.where(known, places, 0)], -np.inf)
        listed = finite & (here > -np.inf) & (there > -np.inf)
        losses = np.where(listed, here, 0.0) - np.where(listed, there, 0.0)
    some = listed & (masses > TINY)
    missed = finite & ~some
    error = shape.log_pmf_error(low - reach, high + reach)
    largest = float(np.abs(losses[some]).max(initial=0.0))
    return ListedAtoms(
        losses[some],
        masses[some],
        infinite=0.0,
        lost=outside + (float(masses[missed].sum()) + int(missed.sum()) * TINY) * 2,
        loss_error=None if exact else 2 * error + 4 * UNIT * largest,
        mass_error=2 * error + EXP_ERROR,
    )


def _exact(shape: Shape) -> bool:
    """Whether losses are a whole number times a constant."""
    return isinstance(shape, GaussianShape) or (isinstance(shape, Stairs) and shape.radius is None)


def _exact_losses(shape: Shape, shift: int, values: NDArray[np.int64]) -> Floats:
    """Whole numbers far below 2**53 times a constant: good to two roundings."""
    if isinstance(shape, GaussianShape):
        whole = float(shift * shift) - 2.0 * shift * values
        return np.asarray(whole / float(2 * shape.sigma_squared), dtype=np.float64)
    assert isinstance(shape, Stairs)  # asked before
    drops = shape.levels(values - shift) - shape.levels(values)
    return drops.astype(np.float64) * float(shape.rate)


def _of_table(weights: dict[int, int], shift: int) -> ListedAtoms:
    """The atoms of a table, however far apart its values lie."""
    total = sum(weights.values())
    pairs = [(w, weights.get(k - shift, 0)) for k, w in weights.items()]
    shared = [(here, there) for here, there in pairs if there]
    with balls.precision(_BITS):
        losses = [float((balls.ball(here) / there).log()) for here, there in shared]
        masses = np.array([float(balls.ball(here) / total) for here, _ in shared])
    some = masses > TINY
    return ListedAtoms(
        np.array(losses)[some],
        masses[some],
        infinite=0.0,
        lost=int((~some).sum()) * 2 * TINY,
        mass_error=RELATIVE_ERROR,
    )
