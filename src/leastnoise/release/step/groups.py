"""`Groups`: for which groups, and which rows, a question is asked."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any, SupportsIndex

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.clip import Clip
from leastnoise.release.ask.expression import Condition, Term, as_term
from leastnoise.release.ask.keys import Key, Keys, one_column
from leastnoise.release.ask.said_keys import keys_by_column
from leastnoise.release.step.aggregate import Aggregate
from leastnoise.release.step.bounded_table import BoundedTable
from leastnoise.release.step.measurement import Measurement

KeyTerm = Term
"""What makes groups."""
KeysLike = Keys | Iterable[Key] | Iterable[tuple[Key, ...]] | Mapping[str, Any] | str | None
"""Public groups, a list of them (tuples for several columns), a list for each column, a range of
dates, 'private', or None for a total."""
By = str | Term | Iterable[str | Term]
"""Columns by name, or expressions; one or several."""


_MOST = 1 << 40  # people


class KeyChoice(Enum):
    """How keys are found when they are not public."""

    PRIVATE = "private"


PRIVATE = KeyChoice.PRIVATE
"""Keys that occur in the data, each shown only if enough units are behind it."""


@dataclass(frozen=True, repr=False)
class Groups:
    """For which groups, and which rows, a question is asked.

    Attributes:
        by: the columns that make the groups; none for one total.
        keys: the groups, if they are public; `PRIVATE` to find them; None for a total.
        where: only rows for which this is true.
        fewest: no private group of fewer units is shown.
        only: of private groups, the rows that are asked about; which groups are shown hangs on all
            rows of `where`.
    """

    by: tuple[KeyTerm, ...] = ()
    keys: Keys | KeyChoice | None = None
    where: Condition | None = None
    fewest: int = 1
    only: Condition | None = None

    def __repr__(self) -> str:
        shown = [each.name for each in fields(self) if each.name != "only" or self.only is not None]
        return f"Groups({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    @property
    def counted(self) -> Condition | None:
        """Which rows are asked about."""
        if self.where is None or self.only is None:
            return self.only if self.where is None else self.where
        return self.where & self.only

    @property
    def public_keys(self) -> Keys | None:
        """The groups, if they are public."""
        return self.keys if isinstance(self.keys, Keys) else None

    @property
    def are_private(self) -> bool:
        """Whether the groups must be found in the data."""
        return self.keys is PRIVATE

    @property
    def count(self) -> int | None:
        """How many answers there will be; None if only the data know."""
        if self.are_private:
            return None
        return len(self.public_keys) if self.public_keys else 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that make the groups."""
        return tuple(column.name for column in self.by)

    def effective_bounds(self, table: BoundedTable) -> Bounds | Clip:
        """The least bounds that hold of these groups of a table."""
        return table.effective(grouped=bool(self.by), keys=self.public_keys)

    def measurement(self, aggregates: tuple[Aggregate, ...], table: BoundedTable) -> Measurement:
        """What the engine is asked to sum in each of these groups, under the least bounds."""
        least = self.effective_bounds(table)
        return Measurement(aggregates, least, self.by, self.public_keys, self.counted)

    def __str__(self) -> str:
        by = " by " + ", ".join(self.names) if self.by else ""
        where = f" where {self.where}" if self.where is not None else ""
        where += f", of rows with {self.only}" if self.only is not None else ""
        fewest = f", groups of {self.fewest} or more" if self.fewest > 1 else ""
        return f"{by}{where}{fewest}"


def groups_of(
    by: By, keys: KeysLike, where: Condition | None, at_least: SupportsIndex | None = None
) -> Groups:
    """The groups that a user's words describe.

    Raises:
        InvalidParameter: keys without columns, columns without keys, or keys of other columns; or
            a least number of units for groups that are not private.
    """
    fewest = 1 if at_least is None else _check.integer_between(at_least, "at_least", 1, _MOST)
    found = _groups_of(by, keys, where)
    if at_least is None or found.are_private:
        return replace(found, fewest=fewest)
    raise _check.refuse(
        "`at_least` is for groups found in the data",
        f"at_least={fewest} without keys='private'",
        "Leave it out: groups that are listed are all shown.",
    )


def _groups_of(by: By, keys: KeysLike, where: Condition | None) -> Groups:
    columns = key_terms(by)
    if not columns:
        if keys is not None:
            raise _check.refuse("`keys` need `by`", "keys alone", "Name the columns they are of.")
        return Groups(where=where)
    return Groups(columns, _checked_keys(columns, keys), where)


def _listed(by: By | None) -> tuple[str | Term, ...]:
    if isinstance(by, str | Term):
        return (by,)
    if by is None or isinstance(by, Iterable):
        return tuple(by or ())
    raise _check.refuse(
        "`by` must name columns",
        f"a {type(by).__name__}",
        "Write by='city', or by=['city', 'sex'].",
    )


def key_terms(by: By) -> tuple[KeyTerm, ...]:
    """What makes the groups."""
    return tuple(key_term(each) for each in _listed(by))


def key_term(value: str | Term) -> KeyTerm:
    """A column by name or an expression: what makes groups, or has different values.

    Whether its values can be told apart exactly hangs on the types of columns: measuring checks it.
    """
    return as_term(value)


def _checked_keys(columns: tuple[KeyTerm, ...], keys: KeysLike) -> Keys | KeyChoice:
    names = tuple(column.name for column in columns)
    if isinstance(keys, str) and keys == PRIVATE.value:
        return PRIVATE
    if keys is None:
        raise _check.refuse(
            "`keys` must be given with `by`",
            f"by={_check.shown(names)} alone",
            "List the groups there can be, known without the rows, say keys='private' to show "
            "those with enough units, or declare the columns' `values` in a dataset.",
        )
    if isinstance(keys, str):
        raise _check.refuse(
            "`keys` must be a list or 'private'",
            _check.shown(keys),
            f"Write [{_check.shown(keys)}].",
        )
    if isinstance(keys, Mapping):
        return keys_by_column(names, keys)
    found = keys if isinstance(keys, Keys) else Keys(names, _rows(keys))
    if found.columns == names:
        return found
    raise _check.refuse(
        "`keys` must be of the columns in `by`",
        f"keys of {_check.shown(found.columns)} by {_check.shown(names)}",
        "Name the same columns, in the same order.",
    )


def _rows(keys: Iterable[Key] | Iterable[tuple[Key, ...]]) -> Iterable[tuple[Key, ...]]:
    """One tuple for each group; arrays and series give Python's own values."""
    plain = keys.tolist() if hasattr(keys, "tolist") else keys
    if not isinstance(plain, Iterable):
        raise _check.refuse(
            "`keys` must be a list or 'private'",
            f"a {type(keys).__name__}",
            "Write ['Oslo', 'Bergen'], or {'city': ['Oslo'], 'smoker': [True, False]}.",
        )
    listed = list(plain)
    if not any(issubclass(kind, list | tuple) for kind in set(map(type, listed))):
        return one_column(listed)
    return [tuple(key) if isinstance(key, list | tuple) else (key,) for key in listed]


def with_public_keys(groups: Groups, what: str) -> Groups:
    """The groups, for a question that cannot look for them in the data."""
    if groups.are_private:
        raise UnsupportedQuery(f"{what} needs public keys; got keys='private'. List the groups.")
    return groups
