"""A guarantee on the command line: by ε, by ε and δ, or by ρ."""

from typing import Annotated

from leastnoise._check import refuse
from leastnoise.cli.declared import Option
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP

EpsilonOption = Annotated[str | None, Option(help="ε of the limit.")]
DeltaOption = Annotated[str | None, Option(help="δ of the limit, beside ε.")]
RhoOption = Annotated[str | None, Option(help="ρ of the limit, instead of ε.")]


def guarantee_of(epsilon: str | None, delta: str | None, rho: str | None) -> Guarantee:
    """The guarantee with these numbers.

    Raises:
        InvalidParameter: they make none.
    """
    match epsilon, delta, rho:
        case str(), None, None:
            return PureDP(epsilon=epsilon)
        case str(), str(), None:
            return ApproxDP(epsilon=epsilon, delta=delta)
        case None, _, str():
            return ZCDP(rho=rho, delta=delta or 0)
    raise refuse(
        "a limit must be --epsilon, --epsilon with --delta, or --rho",
        f"epsilon={epsilon}, delta={delta}, rho={rho}",
        "Give one of them.",
    )
