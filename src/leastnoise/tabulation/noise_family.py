"""The kinds of noise there are for columns, by name."""

from contextlib import suppress
from enum import Enum
from typing import Literal, assert_never

from leastnoise import _check
from leastnoise.errors import UnsupportedQuery
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.tabulation.bounded_calibration import bounded_perturbation
from leastnoise.tabulation.gaussian_calibration import gaussian_perturbation
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation
from leastnoise.tabulation.pure_calibration import cube_perturbation, laplace_perturbation
from leastnoise.tabulation.repaired_calibration import repaired_perturbation

Target = PureDP | ApproxDP | ZCDP
"""The guarantees that noise for marginals can be found for."""

NoiseName = Literal["cube", "laplace", "gaussian", "bounded", "repaired"]
"""How users name the kinds of noise."""

_MANY_COLUMNS = 1 << 14  # from here on repaired noise is tried


class NoiseFamily(Enum):
    """A kind of noise, which finds its own least parameters for a guarantee.

    Attributes:
        CUBE: one random radius, every column uniform within it; ε-DP.
        LAPLACE: independent discrete Laplace draws; ε-DP.
        GAUSSIAN: independent discrete Gaussian draws; (ε, δ)-DP and zCDP.
        BOUNDED: independent medians of uniforms, with a hard limit to the error; (ε, δ)-DP.
        REPAIRED: Gaussian draws of which the largest are drawn again; (ε, δ)-DP and zCDP.
    """

    CUBE = "cube"
    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    BOUNDED = "bounded"
    REPAIRED = "repaired"

    def perturbation(
        self, columns: int, target: Target, objective: Objective, *, centred: bool
    ) -> Perturbation:
        """The noise for so many columns.

        Raises:
            UnsupportedQuery: this kind of noise cannot meet such a guarantee.
        """
        match self, target:
            case NoiseFamily.CUBE, PureDP() | ApproxDP():
                return cube_perturbation(columns, target.epsilon, centred=centred)
            case NoiseFamily.LAPLACE, PureDP() | ApproxDP():
                return laplace_perturbation(columns, target.epsilon, centred=centred)
            case NoiseFamily.GAUSSIAN, ApproxDP() | ZCDP():
                return gaussian_perturbation(columns, target, centred=centred)
            case NoiseFamily.BOUNDED, ApproxDP():
                return bounded_perturbation(columns, target, objective, centred=centred)
            case NoiseFamily.REPAIRED, ApproxDP() | ZCDP():
                return repaired_perturbation(columns, target, centred=centred)
            case _:
                raise UnsupportedQuery(
                    f"noise of the kind {self.value!r} must be able to meet the guarantee; got "
                    f"{target!r}. Leave the choice of mechanism open."
                )


def families_for(columns: int, target: Target) -> list[NoiseFamily]:
    """The kinds of noise worth a look, for a guarantee with ε, δ or ρ above 0.

    Repaired noise never beats bounded noise, so it is only tried where that is no choice.
    """
    match target:
        case PureDP():
            return [NoiseFamily.CUBE, NoiseFamily.LAPLACE]
        case ApproxDP():
            return [NoiseFamily.CUBE, NoiseFamily.BOUNDED, NoiseFamily.GAUSSIAN]
        case ZCDP():
            many = [NoiseFamily.REPAIRED] if columns >= _MANY_COLUMNS else []
            return [NoiseFamily.GAUSSIAN, *many]
        case _:
            assert_never(target)


def checked_family(name: NoiseName | NoiseFamily) -> NoiseFamily:
    """The kind of noise a user means.

    Raises:
        InvalidParameter: there is no such kind.
    """
    with suppress(ValueError):
        return NoiseFamily(name)
    raise _check.refuse(
        "`mechanism` must be 'cube', 'laplace', 'gaussian', 'bounded', 'repaired' or a mechanism",
        f"mechanism={_check.shown(name)}",
        "Leave it out for the one with the least expected error.",
    )
