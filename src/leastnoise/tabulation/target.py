"""Which guarantee a user asks for."""

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.tabulation.noise_family import Target


def checked_target(*, epsilon: Exact | None, delta: Exact, guarantee: Guarantee | None) -> Target:
    """A guarantee from ε and δ, or the one given.

    Raises:
        InvalidParameter: both or neither were given, or one that no noise can meet.
    """
    if (epsilon is None) == (guarantee is None):
        raise _check.refuse(
            "either `epsilon` or `guarantee` must be given",
            "neither" if epsilon is None else f"epsilon={epsilon!r:.60} and {guarantee!r:.60}",
            "Write epsilon=1, delta='1e-6', or guarantee=ZCDP(rho='0.5').",
        )
    if epsilon is not None:
        return _of_parameters(_check.positive(epsilon, "epsilon"), _check.delta(delta))
    if delta != 0:
        raise _check.refuse(
            "`delta` must be left out if there is a `guarantee`",
            f"delta={_check.shown(delta)}",
            "State it there: guarantee=ApproxDP(epsilon=1, delta='1e-6').",
        )
    return _of_guarantee(guarantee)


def _of_parameters(epsilon: Exact, delta: Exact) -> Target:
    if delta:
        return ApproxDP(epsilon=epsilon, delta=delta)
    return PureDP(epsilon=epsilon)


def _of_guarantee(guarantee: Guarantee | None) -> Target:
    match guarantee:
        case PureDP(epsilon=epsilon):
            return PureDP(epsilon=_check.positive(epsilon, "epsilon"))
        case ApproxDP(epsilon=epsilon, delta=delta):
            return _of_parameters(_check.positive(epsilon, "epsilon"), delta)
        case ZCDP(rho=rho):
            _check.positive(rho, "rho")
            return guarantee
        case GDP() | RDP() | _:
            raise _check.refuse(
                "`guarantee` must be a PureDP, an ApproxDP or a ZCDP",
                f"a {type(guarantee).__name__}",
                "Write for example ZCDP(rho='0.5').",
            )
