"""The tree of a text: few kinds of parts, each with its place."""

from datetime import date
from fractions import Fraction
from typing import TypeAlias

from leastnoise._dataclass import dataclass
from leastnoise.release.sql.text.place import Place


@dataclass(frozen=True)
class Name:
    """A column, perhaps with its table in front; `exact` if it stands in quotes."""

    at: Place
    name: str
    exact: bool = False
    table: str | None = None

    def __str__(self) -> str:
        return self.name if self.table is None else f"{self.table}.{self.name}"


@dataclass(frozen=True)
class Literal:
    """A value as it is written; None for NULL."""

    at: Place
    value: int | Fraction | str | bool | date | None


@dataclass(frozen=True)
class Star:
    """All columns, or those of one table."""

    at: Place
    table: str | None = None


@dataclass(frozen=True)
class Several:
    """Expressions in parentheses, separated by commas."""

    at: Place
    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Computed:
    """Two numbers made one by + - * / %."""

    at: Place
    sign: str
    one: "Expression"
    other: "Expression"


@dataclass(frozen=True)
class Compared:
    """Two values by = <> < <= > >=."""

    at: Place
    sign: str
    one: "Expression"
    other: "Expression"


@dataclass(frozen=True)
class Chain:
    """Several conditions, all joined by `and`, or all by `or`."""

    at: Place
    word: str
    parts: tuple["Expression", ...]


@dataclass(frozen=True)
class Negated:
    """NOT."""

    at: Place
    one: "Expression"


@dataclass(frozen=True)
class IsNull:
    """Whether there is no value."""

    at: Place
    one: "Expression"


@dataclass(frozen=True)
class IsTruth:
    """IS TRUE or IS FALSE: never unknown."""

    at: Place
    one: "Expression"
    value: bool


@dataclass(frozen=True)
class Between:
    """BETWEEN, both ends included."""

    at: Place
    one: "Expression"
    low: "Expression"
    high: "Expression"


@dataclass(frozen=True)
class InList:
    """IN and a list of values."""

    at: Place
    one: "Expression"
    values: tuple["Expression", ...]


@dataclass(frozen=True)
class InQuery:
    """IN and a query."""

    at: Place
    one: "Expression"
    query: "Query"


@dataclass(frozen=True)
class Exists:
    """EXISTS and a query."""

    at: Place
    query: "Query"


@dataclass(frozen=True)
class Like:
    """A text by a pattern."""

    at: Place
    one: "Expression"
    pattern: "Expression"
    escape: "Expression | None" = None


@dataclass(frozen=True)
class Case:
    """CASE: the result of the first condition that is true."""

    at: Place
    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression | None"


@dataclass(frozen=True)
class Call:
    """A function by its name in small letters, with everything that may stand behind it."""

    at: Place
    name: str
    arguments: tuple["Expression", ...]
    named: tuple[tuple[str, "Expression"], ...] = ()
    distinct: bool = False
    within: "Order | None" = None
    where: "Expression | None" = None

    @property
    def written(self) -> str:
        """As people write it."""
        return self.name.upper()


@dataclass(frozen=True)
class Scalar:
    """A query in the place of a value."""

    at: Place
    query: "Query"


Expression: TypeAlias = (
    Name
    | Literal
    | Star
    | Several
    | Computed
    | Compared
    | Chain
    | Negated
    | IsNull
    | IsTruth
    | Between
    | InList
    | InQuery
    | Exists
    | Like
    | Case
    | Call
    | Scalar
)


@dataclass(frozen=True)
class Item:
    """What a query selects, and the name given to it."""

    at: Place
    what: Expression
    alias: str | None


@dataclass(frozen=True)
class Order:
    """What to sort by."""

    at: Place
    what: Expression
    falling: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True)
class Named:
    """A table by its name, and what it is called in the query."""

    at: Place
    name: str
    alias: str
    exact: bool = False


@dataclass(frozen=True)
class Derived:
    """A query in the place of a table."""

    at: Place
    query: "Query"
    alias: str


Source: TypeAlias = Named | Derived


@dataclass(frozen=True)
class Join:
    """A table beside those before it; `how` is inner, left, right, full or cross."""

    at: Place
    how: str
    source: Source
    on: Expression | None
    using: tuple[str, ...]


@dataclass(frozen=True)
class With:
    """A query with a name."""

    at: Place
    name: str
    query: "Query"


@dataclass(frozen=True)
class Select:
    """One SELECT."""

    at: Place
    items: tuple[Item, ...]
    source: Source | None
    joins: tuple[Join, ...] = ()
    where: Expression | None = None
    group: tuple[Expression, ...] = ()
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: Literal | None = None
    offset: Literal | None = None
    distinct: bool = False
    queries: tuple[With, ...] = ()


@dataclass(frozen=True)
class Stack:
    """Queries joined by UNION ALL."""

    at: Place
    parts: tuple[Select, ...]
    queries: tuple[With, ...] = ()


Query: TypeAlias = Select | Stack
