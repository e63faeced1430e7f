"""What a release measures, and the noise that is proposed for it, as values that check themselves.

Here stands the sensitivity: how far one privacy unit moves each total.

Trusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt

from leastnoise.ledger.meters import Family, Price
from leastnoise.noise.joint_gaussian import CentredGaussian
from leastnoise.noise.joint_pure import KNormNoise
from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.contributions import MOST_ROWS, ONE, Limits, Norm
from leastnoise.tables.groups import Groups, Unlisted
from leastnoise.tables.relations import Relation
from leastnoise.tables.schema import Value
from leastnoise.tables.totals import Total
from leastnoise.workloads.marginal_noise import TableLaw

NORM: dict[Family, Norm] = {"laplace": "l1", "gaussian": "l2"}


@dataclass(frozen=True)
class Limit:
    """How much one unit may add.

    Attributes:
        rows: its rows in all.
        per_group: its rows in one group, if they are limited too.
    """

    rows: int
    per_group: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("max_contributions", self.rows), ("max_per_group", self.per_group)):
            if value is not None and (type(value) is not int or not 1 <= value <= MOST_ROWS):
                raise InvalidInput(f"{name} is {value}. Give a number from 1 to {MOST_ROWS:,}.")
        if self.per_group is not None and self.per_group > self.rows:
            raise InvalidInput(
                f"max_per_group={self.per_group} is above max_contributions={self.rows}, so it "
                "limits nothing. Leave it out, or give a smaller number."
            )


@dataclass(frozen=True)
class Drawn:
    """A limit in the norm of the noise: L^2 = 2^level. It is drawn privately: `auto_contributions`.

    Attributes:
        level: from 0 to `LEVELS` - 1; None before it is drawn.
    """

    level: int | None = None


LEVELS = 41
"""How many limits there are to draw from: the square roots of 1, 2, 4, ... 2^40."""


@dataclass(frozen=True)
class Measurement:
    """The rows, their groups, the totals that are taken of each group, and the limit of a unit.

    Attributes:
        relation: the rows.
        groups: their groups.
        totals: what is added up in each group.
        limit: how much one unit may add; None where no unit has more than one row.
        over_limit: whether the units that count in full and in part are counted too.
        in_common: whether it is one of the tables whose noise is on what they have in common; then
            a unit is limited in l1 norm, whatever the noise.
    """

    relation: Relation
    groups: Groups | Unlisted
    totals: tuple[Total, ...]
    limit: Limit | Drawn | None
    over_limit: bool = False
    in_common: bool = False

    def __post_init__(self) -> None:
        self.groups.check(self.relation.schema)
        for total in self.totals:
            total.check(self.relation.schema)
        if not self.totals:
            raise InvalidInput("Nothing is measured.")
        if self.relation.is_public:
            raise InvalidInput("All of these tables are public. Query them directly.")
        if (self.limit is None) is not self.relation.one_row_each:
            raise InvalidInput("A limit is needed just where a unit may have several rows.")
        if self.over_limit and not isinstance(self.limit, Limit):
            raise InvalidInput("Only a limit that was given is compared with the units' rows.")

    def norm(self, family: Family) -> Norm:
        """The norm in which a unit is limited, for noise of a family."""
        return "l1" if self.in_common else NORM[family]

    def limits(self, norm: Norm) -> Limits | None:
        """L^2 of the rows of a unit, and of its presence in groups, in a norm.

        Rows within both numbers have an l1 norm of at most `rows`, and a squared l2 norm of at
        most rows * per_group, so no such unit is ever weighted down. A unit is in no more groups
        than it has rows, and than there are.
        """
        if self.limit is None:
            return None
        if isinstance(self.limit, Limit):
            rows = self.limit.rows
            squared = rows**2 if norm == "l1" else rows * (self.limit.per_group or rows)
        else:
            squared = 1 << (LEVELS - 1 if self.limit.level is None else self.limit.level)
            rows = isqrt(squared) if norm == "l1" else squared
        presence = min(rows, max(1, len(self.groups))) if isinstance(self.groups, Groups) else rows
        return Limits(squared, presence**2 if norm == "l1" else presence)

    def sensitivity(self, total: Total, norm: Norm) -> int:
        """Squared: how far one unit moves the vector of a total over all groups, weights times `ONE`."""
        limits = self.limits(norm) or Limits(1, 1)
        squared = limits.units if total.counts_units else limits.rows
        return squared * (total.bound * ONE) ** 2


@dataclass(frozen=True)
class Selection:
    """How groups are found privately: the noise on the units of a group, and what it must reach.

    Attributes:
        variance: of the noise, in steps of 1/1024 of a unit.
        threshold: what a group's units with noise must reach to be shown, in the same steps.
        delta: the chance, at most, that a group is shown in which there is one unit only.
        min_units: groups of fewer units are never shown.
    """

    variance: int
    threshold: int
    delta: Fraction
    min_units: int = 1

    def __post_init__(self) -> None:
        if self.variance < 1 or self.min_units < 1:
            raise InvalidInput("Groups are found with noise, and have at least one unit each.")


@dataclass(frozen=True)
class Shared:
    """Noise of a draw that several totals share: which draw, and which of its numbers."""

    draw: int
    place: int


JointLaw = KNormNoise | CentredGaussian
"""The law of a draw that totals of one group share."""

Law = JointLaw | TableLaw
"""The law of a draw that is shared."""


@dataclass(frozen=True)
class Part:
    """A measurement with noise for every total.

    Attributes:
        measurement: what is measured.
        noise: for each total the scale (Laplace) or the variance (Gaussian), weights times `ONE`;
            of a limit that is to be drawn, the noise at L = 1; or where it comes from, if shared.
        over_limit_noise: the same for the counts of units in full and in part.
        exponent: of the draw of the limit, if it is drawn for this part.
        selection: how groups are found, if they are found for this part.
        leader: the number of the part before whose groups and limit this one takes, if any.
    """

    measurement: Measurement
    noise: tuple[int | Shared, ...]
    over_limit_noise: int | None = None
    exponent: Fraction | None = None
    selection: Selection | None = None
    leader: int | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether the limit is to be drawn."""
        return isinstance(self.measurement.limit, Drawn)

    def with_groups(self, found: Sequence[tuple[Value, ...]]) -> "Part":
        """With the groups that were found."""
        groups = self.measurement.groups
        assert isinstance(groups, Unlisted)
        return replace(self, measurement=replace(self.measurement, groups=groups.with_found(found)))

    def at(self, level: int, family: Family) -> "Part":
        """With the limit that was drawn: the noise grows as the sensitivity does."""
        norm, first = self.measurement.norm(family), replace(self.measurement, limit=Drawn(0))
        here = replace(self.measurement, limit=Drawn(level))
        noise = list[int | Shared]()
        for total, size in zip(self.measurement.totals, self.noise, strict=True):
            if isinstance(size, Shared):  # is made for the limit when it is drawn
                noise.append(size)
                continue
            ratio = here.sensitivity(total, norm) // first.sensitivity(total, norm)
            noise.append(size * ratio if family == "gaussian" else isqrt(ratio * size**2 - 1) + 1)
        return replace(self, measurement=here, noise=tuple(noise))


@dataclass(frozen=True)
class Proposal:
    """What is to be measured, with which noise, and what it is to cost.

    Attributes:
        family: Laplace noise throughout, or Gaussian noise throughout.
        parts: at least one for each query.
        price: what is to be charged for all parts together.
        draws: the laws of draws that totals share.
    """

    family: Family
    parts: tuple[Part, ...]
    price: Price
    draws: tuple[Law, ...] = ()


def laws_of(part: Part) -> dict[str, object]:
    """The noise of a part, as the charge line holds it."""
    sizes = [str(each) if isinstance(each, int) else [each.draw, each.place] for each in part.noise]
    laws: dict[str, object] = {"totals": sizes}
    if part.over_limit_noise is not None:
        laws["units"] = str(part.over_limit_noise)
    if part.exponent is not None:
        laws["exponent"] = str(part.exponent)
    if part.selection is not None:
        laws["selection"] = {name: str(each) for name, each in vars(part.selection).items()}
    return laws
