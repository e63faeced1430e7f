"""The norms that vector laws know, by name."""

from collections.abc import Callable
from typing import Final, Literal

from leastnoise import _check
from leastnoise.noise.vectors.cross_polytope import CrossPolytope
from leastnoise.noise.vectors.cube import Cube
from leastnoise.noise.vectors.norm_ball import NormBall

Norm = Literal["l1", "linf"]
"""The sum of the magnitudes, or the largest of them."""

_BALLS: Final[dict[str, Callable[[int], NormBall]]] = {"l1": CrossPolytope, "linf": Cube}


def checked_norm(norm: Norm, name: str = "norm") -> Norm:
    """The name of a known norm."""
    if any(norm == known for known in _BALLS):
        return norm
    raise _check.refuse(
        f"`{name}` must be 'l1' or 'linf'",
        f"{name}={_check.shown(norm)}",
        "Choose one of them; for 'l2' use EuclideanLaw, or `optimal`.",
    )


def ball_of(norm: Norm, dimension: int) -> NormBall:
    """The balls of a named norm."""
    return _BALLS[norm](dimension)
