"""`Tied`: rows of a unit beside other rows of the same unit: Theorem 2(d).

Proof: docs/proofs/joins.md.
"""

from functools import cached_property

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.ask.expression import Column
from leastnoise.release.ask.schema import Schema
from leastnoise.release.measure.rows.beside_public import BesidePublic
from leastnoise.release.measure.rows.changed import Changed
from leastnoise.release.measure.rows.leaves import Referring
from leastnoise.release.measure.rows.row_by_row import Filtered, Mapped
from leastnoise.release.measure.rows.row_names import (
    KEEPING_BOTH,
    Pairs,
    refuse_kind,
    refuse_pairs,
    together,
)
from leastnoise.release.measure.rows.rows import Rows, checked_rows
from leastnoise.release.measure.rows.stored import Origin, Stored, Ways, one_way


@dataclass(frozen=True)
class Tied(Changed):
    """Pairs of rows of one owner; that the owners must be equal goes without saying.

    Privacy needs no bound on the number of matches. But where both sides may have many rows of one
    unit that match, the unit's rows are multiplied with themselves, and the time that takes would
    show; so one side must have one match at most, as far as can be known: because the other side
    refers to it by the key along which its owner is found, or because it was made `per_unit`.

    Args:
        rows: the rows on the left, whose columns come first.
        other: rows of the same unit.
        on: further pairs of columns that must be equal.
        how: "inner", "left" (rows without a match stay, with nothing), "semi" (rows that have a
            match, as they are) or "anti" (rows that have none).

    Raises:
        InvalidParameter: units that are called otherwise, unknown columns, such of different types,
            names in both, several matches on both sides, or another kind of join.
    """

    other: Rows
    on: Pairs
    how: str

    def __post_init__(self) -> None:
        super().__post_init__()
        refuse_kind(self.how)
        refuse_other_unit(self.rows, checked_rows(self.other, "other"))
        refuse_pairs(self.on, self.rows.schema, self.other.schema)
        _ = self.schema, self.ways, checked_rows(self, "rows")
        if self._keeps_both and not (self._one_on_right or self._one_on_left):
            raise _check.refuse(
                "of two rows that are joined, one side must have one match at most",
                "two sides that may both repeat within one unit",
                "Join along the key that one refers to the other by, or make one side one row per "
                "unit and key first: `per_unit`, GROUP BY in SQL.",
            )

    @property
    def _keeps_both(self) -> bool:
        return self.how in KEEPING_BOTH

    @cached_property
    def schema(self) -> Schema:
        """The columns of both; of the left rows alone, if the others only decide which stay."""
        found = self.other.schema.columns if self._keeps_both else ()
        return together(self.rows.schema.columns, found)

    @property
    def leaves(self) -> tuple[Stored, ...]:
        """Those of both."""
        return (*self.rows.leaves, *self.other.leaves)

    @cached_property
    def ways(self) -> Ways:
        """Those of both."""
        return one_way(self.rows.ways, self.other.ways)

    @property
    def only_grows(self) -> bool:
        """A row that comes may be the first match of one on the left, which then is another."""
        keeps = self.how in {"inner", "semi"}
        return keeps and self.rows.only_grows and self.other.only_grows

    @property
    def child(self) -> str | None:
        """Which side, "left" or "right", has a child's own rows that refer to the other side's.

        Their owner is then the one of the row that they refer to, and is looked up nowhere else:
        Theorem 3, with the other side as the parent. On the left, rows without a match need their
        owner from elsewhere.
        """
        if self.how == "inner" and is_raw(self.rows) and self._left_refers:
            return "left"
        return "right" if is_raw(self.other) and self._right_refers else None

    @cached_property
    def _left_refers(self) -> bool:
        return any(_refers(self.rows, mine, self.other, others) for mine, others in self.on)

    @cached_property
    def _right_refers(self) -> bool:
        return any(_refers(self.other, others, self.rows, mine) for mine, others in self.on)

    @property
    def _one_on_right(self) -> bool:
        return self._left_refers or _is_unique(self.other, {name for _, name in self.on})

    @property
    def _one_on_left(self) -> bool:
        return self._right_refers or _is_unique(self.rows, {name for name, _ in self.on})

    @property
    def _like_left(self) -> bool:
        return not self._keeps_both or self._one_on_right

    @property
    def grain(self) -> object:
        """That of the side whose rows are not repeated."""
        return (self.rows if self._like_left else self.other).grain

    @property
    def unique(self) -> frozenset[str] | None:
        """As on the left, if no row can become several."""
        return self.rows.unique if self._like_left else None

    @property
    def steps(self) -> int:
        """Those of both, and one."""
        return 1 + self.rows.steps + self.other.steps

    def traced(self, name: str) -> Origin | None:
        """What the side shows that has it; on the right of a left join there may be nothing."""
        if name in self.rows.schema.names:
            return self.rows.traced(name)
        self.schema.type_of(Column(name))
        return self.other.traced(name) if self.how == "inner" else None


def refuse_other_unit(one: Rows, other: Rows) -> None:
    """Checks that rows are of the same unit.

    Raises:
        InvalidParameter: their units are called otherwise, or named by values of another type.
    """
    if (one.whose, one.owner_kind) == (other.whose, other.owner_kind):
        return
    raise _check.refuse(
        "rows that come together must be of one unit",
        f"{one.whose!r} of type {one.owner_kind.value!r} and {other.whose!r} of type "
        f"{other.owner_kind.value!r}",
        "If it is the same unit, call it alike: owned(…, called='patients.id').",
    )


def is_raw(rows: Rows) -> bool:
    """Whether rows are a child's own, each by itself or beside public ones."""
    while isinstance(rows, Filtered | Mapped | BesidePublic):
        rows = rows.rows
    return isinstance(rows, Referring) and not rows.keep


def _is_unique(rows: Rows, names: set[str]) -> bool:
    return rows.unique is not None and rows.unique <= names


def _refers(child: Rows, foreign: str, parent: Rows, key: str) -> bool:
    """Whether a column is the foreign key by which a row's owner is found, and that its key."""
    mine, others = child.traced(foreign), parent.traced(key)
    if mine is None or others is None or parent.grain != others.location:
        return False
    way = child.ways[mine.location]
    return way.column == mine.column and way.key == others
