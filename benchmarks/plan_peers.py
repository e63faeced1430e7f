"""What other people's libraries add to the numbers of a plan, where they are installed."""

from importlib.util import find_spec
from math import sqrt

from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP


def peers(reach: int, budget: Guarantee) -> str:
    """The variance of one number of a vector that one row changes by 1 in `reach` places."""
    # PipelineDP cannot be told that several filters are one vector: nothing is compared if it is.
    beam = "no such question" if find_spec("pipeline_dp") else "not installed"
    return f"OpenDP: {_open_dp(reach, budget)}; PipelineDP: {beam}"


def _open_dp(reach: int, budget: Guarantee) -> str:
    try:
        import opendp.prelude as dp  # noqa: PLC0415 - an optional peer
    except ImportError:
        return "not installed"
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int))
    if isinstance(budget, PureDP):
        scale = dp.binary_search_param(
            lambda scale: dp.m.make_laplace(space, dp.l1_distance(T=int), scale=scale),
            d_in=reach,
            d_out=float(budget.epsilon),
        )
        return f"{2 * scale**2:.3g}"
    assert isinstance(budget, ApproxDP)
    delta = float(budget.delta)
    scale = dp.binary_search_param(
        lambda scale: dp.c.make_fix_delta(
            dp.c.make_zCDP_to_approxDP(
                dp.m.make_gaussian(space, dp.l2_distance(T=float), scale=scale)
            ),
            delta,
        ),
        d_in=sqrt(reach),
        d_out=(float(budget.epsilon), delta),
    )
    return f"{scale**2:.3g}"
