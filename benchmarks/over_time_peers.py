"""What other people's libraries make of running totals, where they are installed."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

RUNS = 200  # of a tree whose error is found by drawing it: known to a percent or two


@cache
def open_dp_tree(steps: int, *, gaussian: bool) -> float | None:
    """The root mean square error of totals by OpenDP's consistent tree; None if it is not there.

    At ε = 1, or at ρ = 1/2. Its least squares use all blocks: what was told of early steps would be
    revised later, which a stream may not do.
    """
    if find_spec("opendp") is None:
        return None
    import opendp.prelude as dp  # noqa: PLC0415 - an optional peer

    dp.enable_features("contrib", "honest-but-curious")
    width = dp.t.choose_branching_factor(size_guess=steps)
    metric = dp.l2_distance(T=int) if gaussian else dp.l1_distance(T=int)
    space = dp.vector_domain(dp.atom_domain(T=int)), metric
    tree = space >> dp.t.then_b_ary_tree(leaf_count=steps, branching_factor=width)
    noise = dp.m.then_gaussian if gaussian else dp.m.then_laplace
    scale = dp.binary_search_param(
        lambda scale: tree >> noise(scale=scale), d_in=1, d_out=0.5 if gaussian else 1.0
    )
    drawn = tree >> noise(scale=scale)
    told = dp.t.make_consistent_b_ary_tree(branching_factor=width, TIA=int, TOA=float)
    return _error([told(drawn([0] * steps))[:steps] for _ in range(RUNS)])


def _error(leaves: Sequence[Any]) -> float:
    return float(np.sqrt((np.cumsum(np.array(leaves), axis=1) ** 2).mean()))


@cache
def accounted_tree(steps: int, epsilon: float, delta: float) -> float | None:
    """The same by a binary tree with the noise that dp-accounting finds for it."""
    if find_spec("dp_accounting") is None:
        return None
    import dp_accounting  # noqa: PLC0415 - an optional peer
    from dp_accounting import rdp  # noqa: PLC0415

    relation = dp_accounting.NeighboringRelation.REPLACE_SPECIAL
    sigma = dp_accounting.calibrate_dp_mechanism(
        lambda: rdp.RdpAccountant(neighboring_relation=relation),
        lambda sigma: dp_accounting.SingleEpochTreeAggregationDpEvent(sigma, [steps]),
        epsilon,
        delta,
    )
    blocks = [step.bit_count() for step in range(1, steps + 1)]  # that make up each total
    return float(sigma * np.sqrt(np.mean(blocks)))
