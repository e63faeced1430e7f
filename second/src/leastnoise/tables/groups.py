"""Known groups: the keys whose rows are counted, as integer codes 0, 1, 2, ...

The list of keys is public. A row gets the code of the one key that its values equal, and rows that
equal none are not used. So the number of groups, their order and their names never depend on data.

Trusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.expressions import Expression, check_columns
from leastnoise.tables.schema import Schema, Type, Value, normal

MOST = 10**6


def _check(by: tuple[Expression, ...], lists: Sequence[Sequence[Value] | None]) -> None:
    """Refuses what is no key. Values that differ in Python differ to an engine, in their normal form."""
    for each, values in zip(by, lists, strict=True):
        if each.type in (Type.NUMBER, Type.OTHER):
            raise InvalidInput(
                f"{each} is of type {each.type}, which is no key of groups: numbers with "
                f'decimals are put into bins.\n  ln.bins("{each}", lower=0, upper=600, width=60)'
            )
        for value in set(values or ()) - {None}:
            if normal(value, each.type) != value:
                raise InvalidInput(f"{value!r:.60} is no value of type {each.type}.")


@dataclass(frozen=True)
class Groups:
    """Keys made of one value for each key expression. Without expressions, all rows are one group.

    Attributes:
        by: what rows are grouped by.
        keys: for each group, one value for each expression; None is a missing value.
    """

    by: tuple[Expression, ...] = ()
    keys: tuple[tuple[Value, ...], ...] = ((),)

    def __post_init__(self) -> None:
        if len(self.keys) > MOST:
            raise InvalidInput(f"There are {len(self.keys):,} groups; {MOST:,} are the most.")
        if len(set(self.keys)) < len(self.keys):
            raise InvalidInput("A group is listed twice. List every group once.")
        if any(len(key) != len(self.by) for key in self.keys):
            raise InvalidInput(f"Every group needs one value for each of {len(self.by)} columns.")
        _check(self.by, self._lists)

    def __len__(self) -> int:
        return len(self.keys)

    def check(self, schema: Schema) -> None:
        """Refuses what the schema does not have."""
        for each in self.by:
            check_columns(each, schema)

    @cached_property
    def _lists(self) -> tuple[tuple[Value, ...], ...]:
        return tuple(tuple(key[place] for key in self.keys) for place in range(len(self.by)))

    def table(self, dialect: Dialect) -> Fragment:
        """The keys as rows (c0, c1, ..., k) to join to; every value is bound in an array."""
        columns = [
            fill(f"{{}} AS c{place}", dialect.array(values, each.type))
            for place, (each, values) in enumerate(zip(self.by, self._lists, strict=True))
        ]
        code = fill(
            "CAST(unnest(range({})) AS INTEGER) AS k", dialect.value(len(self), Type.INTEGER)
        )
        return fill("(SELECT {}) AS groups", joined(", ", [*columns, code]))

    def matches(self) -> Fragment:
        """The condition that a row (e0, e1, ...) has the key (c0, c1, ...)."""
        tests = [
            f"e{place} IS NOT DISTINCT FROM c{place}" if None in values else f"e{place} = c{place}"
            for place, values in enumerate(self._lists)
        ]
        return Fragment(" AND ".join(tests))


@dataclass(frozen=True)
class Unlisted:
    """Groups that are to be found privately; some keys may have known values.

    Attributes:
        by: what rows are grouped by.
        known: for each key its known values, or None if they are to be found.
    """

    by: tuple[Expression, ...]
    known: tuple[tuple[Value, ...] | None, ...]

    def __post_init__(self) -> None:
        if len(self.known) != len(self.by) or None not in self.known:
            raise InvalidInput("All groups are known already, so there are none to find.")
        _check(self.by, self.known)

    def check(self, schema: Schema) -> None:
        """Refuses what the schema does not have."""
        for each in self.by:
            check_columns(each, schema)

    @property
    def unknown(self) -> tuple[Expression, ...]:
        """The keys whose values are to be found."""
        return tuple(by for by, known in zip(self.by, self.known, strict=True) if known is None)

    def with_found(self, found: Sequence[tuple[Value, ...]]) -> Groups:
        """All combinations of what was found and what was known; at most `MOST` of them."""
        listed = [known for known in self.known if known is not None]
        size = 1
        for each in listed:
            size *= max(1, len(each))
        keys = []
        for row in found[: MOST // size]:
            for rest in product(*listed):
                of_found, of_known = iter(row), iter(rest)
                keys.append(tuple(
                    next(of_found) if known is None else next(of_known) for known in self.known
                ))  # fmt: skip
        return Groups(self.by, tuple(keys))
