"""The gate: proves anew what a proposal costs. Only what it admits is charged, read and drawn.

Whoever made the proposal may be wrong: the sensitivity of every total comes from the measurement,
in integers, and the price from sensitivity and noise, in exact fractions. There is a case for each
kind of noise; anything else is refused.

Theorem (joint price). The totals of one measurement share the weights of its units, and adding or
removing one unit moves total j by at most S_j (`Measurement.sensitivity`).
Gaussian: with independent rounded Gaussians of variance V_j it is mu-GDP with
mu^2 = sum of S_j^2 / V_j. Laplace: with discrete Laplace noise of scale B_j it is epsilon-DP with
epsilon = sum of S_j / B_j. Proof page: docs/proofs/unit_locality.md.

Trusted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from leastnoise.ledger.meters import Price
from leastnoise.numbers.errors import LeastNoiseError
from leastnoise.release.measurement import NORM, Proposal
from leastnoise.tables.contributions import ONE

_KEY = object()


class NotAdmitted(LeastNoiseError):
    """The gate could not prove the price of a proposal. Nothing was read or charged."""


@dataclass(frozen=True)
class Admitted:
    """A proposal whose price was proved. `admit` alone can make one."""

    proposal: Proposal
    key: object

    def __post_init__(self) -> None:
        if self.key is not _KEY:
            raise NotAdmitted("Only the gate admits.")


def admit(proposal: Proposal) -> Admitted:
    """The proposal, if its noise keeps the promise that its price stands for."""
    proved = _gaussian(proposal) if proposal.family == "gaussian" else _laplace(proposal)
    if not proposal.price.covers(proved):
        raise NotAdmitted(
            "The noise of a release does not keep what its price promises. Nothing was read or "
            "charged. Please report this as a bug."
        )
    return Admitted(proposal, _KEY)


def _sensitivities(proposal: Proposal) -> Iterator[tuple[int, int]]:
    """(squared sensitivity, noise) of every total, and of the two counts of units together.

    One unit is in one of the two counts, so together they move by one unit in either norm.
    """
    norm = NORM[proposal.family]
    for part in proposal.parts:
        measurement = part.measurement
        squared = [measurement.sensitivity(total, norm) for total in measurement.totals]
        noise = [*part.noise]
        if measurement.over_limit:
            squared.append(ONE**2)
            noise.append(part.over_limit_noise or 0)
        if len(squared) != len(noise) or any(type(size) is not int or size < 1 for size in noise):
            raise NotAdmitted("Every total needs noise of a whole size above 0.")
        yield from zip(squared, noise, strict=True)


def _gaussian(proposal: Proposal) -> Price:
    parts = (Fraction(squared, variance) for squared, variance in _sensitivities(proposal))
    return Price.gaussian(sum(parts, Fraction(0)))


def _laplace(proposal: Proposal) -> Price:
    """The price of the epsilon that is to be charged, if the noise needs no more than that."""
    parts = (Fraction(isqrt(squared), scale) for squared, scale in _sensitivities(proposal))
    epsilon = sum(parts, Fraction(0))
    return Price.pure(max(epsilon, proposal.price.epsilon or epsilon))
