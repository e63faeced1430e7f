"""Draws of noise that several totals share: what one unit moves, the price, the text of the laws.

A unit moves the totals of a release together. One draw for all of them needs less noise than one
for each (docs/proofs/joint_pure.md, docs/proofs/joint_gaussian.md). It is used for totals of one
group, with a limit that is known beforehand.

Trusted.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from leastnoise.ledger.meters import Family, Price
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box, KNormNoise
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.measurement import NORM, Law, Part, Proposal, Shared, laws_of
from leastnoise.tables.groups import Groups
from leastnoise.tables.totals import Total


def reach(part: Part, total: Total, family: Family) -> Box:
    """How far one unit moves a total of one group."""
    measured = part.measurement
    if not isinstance(measured.groups, Groups) or len(measured.groups) != 1 or part.is_drawn:
        raise InvalidInput("Only totals of one group, with a known limit, share a draw.")
    most = isqrt(measured.sensitivity(total, NORM[family]))
    return Box(-most if total.least else 0, most)


def prices(draws: Sequence[Law], parts: Sequence[Part], family: Family) -> list[Price]:
    """What each draw costs, for the totals that share it.

    Raises:
        InvalidInput: the totals do not fit the draw.
    """
    found: list[dict[int, Box]] = [{} for _ in draws]
    for part in parts:
        for total, noise in zip(part.measurement.totals, part.noise, strict=True):
            if isinstance(noise, Shared):
                if noise.draw not in range(len(draws)) or noise.place in found[noise.draw]:
                    raise InvalidInput("A total takes the noise of another, or of no draw.")
                found[noise.draw][noise.place] = reach(part, total, family)
    return [_price(law, reaches, family) for law, reaches in zip(draws, found, strict=True)]


def _price(law: Law, reaches: Mapping[int, Box], family: Family) -> Price:
    boxes = [reaches[place] for place in sorted(reaches)]
    if sorted(reaches) != list(range(len(law.blocks))):
        raise InvalidInput("A draw is shared by other totals than it was made for.")
    if type(law) is KNormNoise and family == "laplace":
        return Price.pure(law.epsilon(boxes))
    if type(law) is CentredGaussian and family == "gaussian":
        return Price.gaussian(law.squared_mu(boxes))
    raise InvalidInput("No such noise is shared.")


def noise_of(proposal: Proposal) -> dict[str, object]:
    """The laws of all noise of a release, as the charge line holds them."""
    noise: dict[str, object] = {
        "family": proposal.family,
        "parts": [laws_of(part) for part in proposal.parts],
    }
    return noise | ({"draws": [*map(to_json, proposal.draws)]} if proposal.draws else {})


def to_json(law: Law) -> dict[str, Any]:
    """A law, as the charge line holds it."""
    boxes = [[each.low, each.high, each.start] for each in law.blocks if isinstance(each, Box)]
    if isinstance(law, KNormNoise):
        return {"rate": str(law.rate), "counters": law.counters, "boxes": boxes}
    return {
        "variance": str(law.variance),
        "common": law.common,
        "weights": [*law.weights],
        "boxes": boxes,
    }


def of_json(body: Mapping[str, Any]) -> Law:
    """A law of a charge line."""
    boxes = tuple(Box(low, high, 1, start) for low, high, start in body["boxes"])
    if "rate" in body:
        return KNormNoise(Fraction(body["rate"]), boxes, body["counters"])
    return CentredGaussian(int(body["variance"]), body["common"], boxes, tuple(body["weights"]))
