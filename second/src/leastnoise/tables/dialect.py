"""SQL text with bound values, and what differs between engines.

Text comes from this project alone, save quoted identifiers; every value that users supply is bound.

Trusted.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from leastnoise.tables.schema import Type, Value


@dataclass(frozen=True)
class Fragment:
    """A piece of SQL, and the values bound to its markers in order."""

    text: str
    values: tuple[object, ...] = field(default=(), repr=False)


def fill(template: str, *parts: Fragment) -> Fragment:
    """The template with each {} replaced by a part; values keep the order of their markers.

    >>> fill("{} < {}", Fragment('"age"'), Fragment("?", (18,)))
    Fragment(text='"age" < ?')
    """
    pieces = template.split("{}")
    text = [pieces[0]]
    for part, piece in zip(parts, pieces[1:], strict=True):
        text += [part.text, piece]
    return Fragment("".join(text), tuple(value for part in parts for value in part.values))


def joined(separator: str, parts: Iterable[Fragment]) -> Fragment:
    """The parts with the separator between them."""
    found = tuple(parts)
    return fill(separator.join(["{}"] * len(found)), *found)


@dataclass(frozen=True)
class Dialect:
    """One engine's spelling of what engines spell differently.

    Attributes:
        types: the engine's name of each type.
        wide: a type that holds all integers below 2^126.
        narrow: for integers up to a bound, the shortest type that holds them.
        to_bytes: of a text, its bytes.
        texts: SQL of functions that the engine spells in its own way, by name.
    """

    types: dict[Type, str]
    wide: str
    narrow: tuple[tuple[int, str], ...]
    to_bytes: str
    texts: dict[str, str] = field(default_factory=dict)

    def name(self, *path: str) -> Fragment:
        """A name, quoted so that no character in it means anything."""
        return Fragment(".".join('"' + each.replace('"', '""') + '"' for each in path))

    def value(self, value: Value, kind: Type) -> Fragment:
        """A bound value of a type."""
        bound = float(value) if kind is Type.NUMBER and isinstance(value, Fraction | int) else value
        return self.bound(bound, self.types[kind])

    def whole(self, value: int) -> Fragment:
        """A bound integer of the wide type."""
        return self.bound(value, self.wide)

    def shortest(self, bound: int) -> str:
        """The shortest type for integers of at most this magnitude."""
        return next((name for most, name in self.narrow if bound <= most), self.types[Type.INTEGER])

    def bound(self, value: object, kind: str) -> Fragment:
        """A bound value of one of the engine's types."""
        return Fragment(f"CAST(? AS {kind})", (value,))

    def array(self, values: Iterable[Value], kind: Type) -> Fragment:
        """A bound list of values of a type, as a column of rows."""
        return Fragment(f"unnest(CAST(? AS {self.types[kind]}[]))", (list(values),))


DUCKDB = Dialect(
    types={
        Type.BOOLEAN: "BOOLEAN",
        Type.INTEGER: "BIGINT",
        Type.NUMBER: "DOUBLE",
        Type.TEXT: "VARCHAR",
        Type.DATE: "DATE",
        Type.TIMESTAMP: "TIMESTAMP",
    },
    wide="HUGEINT",
    narrow=((127, "TINYINT"), (2**31 - 1, "INTEGER")),
    to_bytes="encode({})",
)
