"""The compositions that accountants are compared on, in no library's terms."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Kind = Literal["Laplace", "Gaussian", "response", "discrete Gaussian"]
KINDS: tuple[Kind, ...] = ("Laplace", "Gaussian", "response", "discrete Gaussian")


@dataclass(frozen=True)
class Release:
    """A release of a kind and size, made `count` times.

    The size is ε for Laplace noise and randomised response, and sensitivity/σ for the Gaussians.
    """

    kind: Kind
    size: Fraction
    count: int = 1


def composition(name: str, scale: Fraction = Fraction(1)) -> tuple[Release, ...]:
    """The releases of a named composition, every size times the scale."""
    return tuple(Release(r.kind, r.size * scale, r.count) for r in COMPOSITIONS[name])


COMPOSITIONS: dict[str, tuple[Release, ...]] = {
    "1000 × Gaussian, σ = 30": (Release("Gaussian", Fraction(1, 30), 1000),),
    "1000 × Laplace, ε = 0.03": (Release("Laplace", Fraction(3, 100), 1000),),
    "50 unlike releases": tuple(
        Release(KINDS[i % len(KINDS)], Fraction(50 + i, 500)) for i in range(50)
    ),
    "100 × Laplace, ε = 0.1": (Release("Laplace", Fraction(1, 10), 100),),
}
