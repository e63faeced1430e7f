"""Known groups: the keys whose rows are counted, as integer codes 0, 1, 2, ...

The list of keys is public. A row gets the code of the key that its values equal, and rows that equal
none are not used. So the number of groups, their order and their names never depend on data.

Trusted.
"""

from dataclasses import dataclass
from functools import cached_property

from leastnoise.numbers.errors import InvalidInput
from leastnoise.tables.dialect import Dialect, Fragment, fill, joined
from leastnoise.tables.expressions import Expression, check_columns
from leastnoise.tables.schema import Schema, Type, Value

MOST = 10**6


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
        for each in self.by:
            if each.type in (Type.NUMBER, Type.OTHER):
                raise InvalidInput(
                    f"{each} is of type {each.type}, which is no key of groups: numbers with "
                    f"decimals are put into bins.\n  bins({each}, lower, upper, width)"
                )
        if not self.keys:
            raise InvalidInput("The list of groups is empty. Name at least one.")
        if len(self.keys) > MOST:
            raise InvalidInput(f"There are {len(self.keys):,} groups; {MOST:,} are the most.")
        if len(set(self.keys)) < len(self.keys):
            raise InvalidInput("A group is listed twice. List every group once.")
        if any(len(key) != len(self.by) for key in self.keys):
            raise InvalidInput(f"Every group needs one value for each of {len(self.by)} columns.")

    def __len__(self) -> int:
        return len(self.keys)

    def check(self, schema: Schema) -> None:
        """Refuses what the schema does not have."""
        for each in self.by:
            check_columns(each, schema)

    @cached_property
    def _lists(self) -> tuple[tuple[Value, ...], ...]:
        return tuple(zip(*self.keys, strict=True)) if self.by else ()

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
