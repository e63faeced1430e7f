"""What a release measures, and the noise that is proposed for it, as values that check themselves.

Here stands the sensitivity: how far one privacy unit moves each total.

Trusted.
"""

from dataclasses import dataclass

from leastnoise.ledger.meters import Family, Price
from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.contributions import MOST_ROWS, ONE, Limits, Norm
from leastnoise.tables.groups import Groups
from leastnoise.tables.relations import Relation
from leastnoise.tables.totals import Total

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
            if value is not None and not 1 <= value <= MOST_ROWS:
                raise InvalidInput(f"{name} is {value}. Give a number from 1 to {MOST_ROWS:,}.")
        if self.per_group is not None and self.per_group > self.rows:
            raise InvalidInput(
                f"max_per_group={self.per_group} is above max_contributions={self.rows}, so it "
                "limits nothing. Leave it out, or give a smaller number."
            )


@dataclass(frozen=True)
class Measurement:
    """The rows, their groups, the totals that are taken of each group, and the limit of a unit.

    Attributes:
        relation: the rows.
        groups: their groups.
        totals: what is added up in each group.
        limit: how much one unit may add; None where every row is a unit.
        over_limit: whether the units that count in full and in part are counted too.
    """

    relation: Relation
    groups: Groups
    totals: tuple[Total, ...]
    limit: Limit | None
    over_limit: bool = False

    def __post_init__(self) -> None:
        self.groups.check(self.relation.schema)
        for total in self.totals:
            total.check(self.relation.schema)
        if not self.totals:
            raise InvalidInput("Nothing is measured.")
        if (self.limit is None) is not self.relation.rows_are_units:
            raise InvalidInput("A limit is needed just where a unit may have several rows.")
        if self.over_limit and self.limit is None:
            raise InvalidInput("Where every row is a unit, none can be over the limit.")

    def limits(self, norm: Norm) -> Limits | None:
        """L^2 of the rows of a unit, and of its presence in groups, in a norm.

        Rows within both numbers have an l1 norm of at most `rows`, and a squared l2 norm of at
        most rows * per_group, so no such unit is ever weighted down.
        """
        if self.limit is None:
            return None
        rows, presence = self.limit.rows, min(self.limit.rows, len(self.groups))
        if norm == "l1":
            return Limits(rows**2, presence**2)
        return Limits(rows * (self.limit.per_group or rows), presence)

    def sensitivity(self, total: Total, norm: Norm) -> int:
        """Squared: how far one unit moves the vector of a total over all groups, weights times `ONE`."""
        limits = self.limits(norm) or Limits(1, 1)
        squared = limits.units if total.counts_units else limits.rows
        return squared * (total.bound * ONE) ** 2


@dataclass(frozen=True)
class Part:
    """A measurement with noise for every total.

    Attributes:
        measurement: what is measured.
        noise: for each total the scale (Laplace) or the variance (Gaussian), weights times `ONE`.
        over_limit_noise: the same for the counts of units in full and in part.
    """

    measurement: Measurement
    noise: tuple[int, ...]
    over_limit_noise: int | None = None


@dataclass(frozen=True)
class Proposal:
    """What is to be measured, with which noise, and what it is to cost.

    Attributes:
        family: Laplace noise throughout, or Gaussian noise throughout.
        parts: one for each query.
        price: what is to be charged for all parts together.
    """

    family: Family
    parts: tuple[Part, ...]
    price: Price

    def noise(self) -> dict[str, object]:
        """The laws of the noise, as the charge line holds them."""
        sizes = [
            {"totals": [*map(str, part.noise)], "units": str(part.over_limit_noise or "")}
            for part in self.parts
        ]
        return {"family": self.family, "sizes": sizes}
