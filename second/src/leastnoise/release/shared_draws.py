"""Draws of noise that several totals share: what one unit moves, the price, the text of the laws.

A unit moves the totals of a release together. One draw for all of them needs less noise than one
for each (docs/proofs/joint_pure.md, docs/proofs/rounded_gaussian.md). It is used for totals of one
group, with a limit that is known beforehand. For a total by several lists of groups the noise is on
what these tables have in common (docs/proofs/residual_planner.md):
it is made for the greatest l1 norm by which one unit moves one of them, at the price that it has for
every such norm.

Trusted.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from leastnoise.ledger.meters import Family, Price
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import Box, KNormNoise
from leastnoise.noise.source import Source
from leastnoise.numbers.errors import InvalidInput
from leastnoise.release.measurement import Law, Part, Proposal, Shared, laws_of
from leastnoise.tables.groups import Groups
from leastnoise.tables.totals import Total
from leastnoise.workloads.marginal_noise import ResidualNoise, SignedNoise, TableLaw


def reach(part: Part, total: Total, family: Family) -> Box:
    """How far one unit moves a total of one group."""
    measured = part.measurement
    if not isinstance(measured.groups, Groups) or len(measured.groups) != 1 or part.is_drawn:
        raise InvalidInput("Only totals of one group, with a known limit, share a draw.")
    most = _most(part, total, family)
    return Box(-most if total.least else 0, most)


def _most(part: Part, total: Total, family: Family) -> int:
    """The greatest norm by which one unit moves a total."""
    return isqrt(part.measurement.sensitivity(total, part.measurement.norm(family)))


def _cells(part: Part) -> int:
    """How many cells a table has; one unit moves them in l1 norm by what its limit says."""
    measured = part.measurement
    if not isinstance(measured.groups, Groups) or not measured.in_common:
        raise InvalidInput("Only tables of known groups, limited in l1 norm, have noise in common.")
    return len(measured.groups)


def _sharing(parts: Sequence[Part]) -> Iterator[tuple[Shared, Part, Total]]:
    """The totals that take noise from a draw."""
    for part in parts:
        for total, noise in zip(part.measurement.totals, part.noise, strict=True):
            if isinstance(noise, Shared):
                yield noise, part, total


def prices(draws: Sequence[Law], parts: Sequence[Part], family: Family) -> list[Price]:
    """What each draw costs, for the totals that share it.

    Raises:
        InvalidInput: the totals do not fit the draw.
    """
    found: list[dict[int, tuple[Part, Total]]] = [{} for _ in draws]
    for noise, part, total in _sharing(parts):
        if noise.draw not in range(len(draws)) or noise.place in found[noise.draw]:
            raise InvalidInput("A total takes the noise of another, or of no draw.")
        found[noise.draw][noise.place] = part, total
    return [_price(law, members, family) for law, members in zip(draws, found, strict=True)]


def _price(law: Law, members: Mapping[int, tuple[Part, Total]], family: Family) -> Price:
    count = len(law.tables if isinstance(law, TableLaw) else law.blocks)
    if sorted(members) != list(range(count)):
        raise InvalidInput("A draw is shared by other totals than it was made for.")
    pairs = [members[place] for place in range(count)]
    if isinstance(law, TableLaw):
        law.check_cells([_cells(part) for part, _ in pairs])
        if type(law) is ResidualNoise and family == "gaussian":
            return Price.gaussian(law.squared_mu())
        if type(law) is SignedNoise and family == "laplace":
            return Price.pure(law.epsilon())
        raise InvalidInput("Tables have no such noise in common.")
    boxes = [reach(part, total, family) for part, total in pairs]
    if type(law) is KNormNoise and family == "laplace":
        return Price.pure(law.epsilon(boxes))
    if type(law) is CentredGaussian and family == "gaussian":
        return Price.gaussian(law.squared_mu(boxes))
    raise InvalidInput("No such noise is shared.")


def drawn_for(
    parts: Sequence[Part], draws: Sequence[Law], family: Family, source: Source
) -> list[tuple[Law, tuple[list[int], ...]]]:
    """The laws and the noise of every draw; that of tables is for the limit that they have by now."""
    most = [0] * len(draws)
    for noise, part, total in _sharing(parts):
        most[noise.draw] = max(most[noise.draw], _most(part, total, family))
    return [
        (law, law.draw(source, moves) if isinstance(law, TableLaw) else law.draw(source))
        for law, moves in zip(draws, most, strict=True)
    ]


def noise_of(proposal: Proposal) -> dict[str, object]:
    """The laws of all noise of a release, as the charge line holds them."""
    noise: dict[str, object] = {
        "family": proposal.family,
        "parts": [laws_of(part) for part in proposal.parts],
    }
    return noise | ({"draws": [*map(to_json, proposal.draws)]} if proposal.draws else {})


def to_json(law: Law) -> dict[str, Any]:
    """A law, as the charge line holds it."""
    if isinstance(law, TableLaw):
        tables = {"sizes": [*law.sizes], "tables": [[*axes] for axes in law.tables]}
        if isinstance(law, ResidualNoise):
            own = [[[[*axes], str(h)] for axes, h in each] for each in law.residuals]
            return tables | {"residuals": own, "variance": str(law.variance)}
        pieces = [[[[*s], [*cells], draw] for s, cells, draw in each] for each in law.signed]
        return tables | {"signed": pieces, "rates": [*map(str, law.rates)]}
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
    if "tables" in body:
        sizes, tables = tuple(body["sizes"]), tuple(map(tuple, body["tables"]))
        if "residuals" in body:
            residuals = tuple(
                tuple((tuple(axes), int(h)) for axes, h in own) for own in body["residuals"]
            )
            return ResidualNoise(sizes, tables, residuals, int(body["variance"]))
        signed = tuple(tuple((tuple(s), tuple(cells), draw) for s, cells, draw in own)
                       for own in body["signed"])  # fmt: skip
        return SignedNoise(sizes, tables, tuple(map(Fraction, body["rates"])), signed)
    boxes = tuple(Box(low, high, 1, start) for low, high, start in body["boxes"])
    if "rate" in body:
        return KNormNoise(Fraction(body["rate"]), boxes, body["counters"])
    return CentredGaussian(int(body["variance"]), body["common"], boxes, tuple(body["weights"]))
