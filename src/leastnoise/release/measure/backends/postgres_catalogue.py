"""What PostgreSQL's catalogue says of a table: its columns, and whether it is plainly stored."""

from collections.abc import Iterable

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.measure.sql.fragment import Fragment

_MOST_DIGITS = 300  # on either side of the point: beyond, converting to doubles can be an error
_KINDS = "c.relkind IN ('r', 'm', 'p', 'v', 'f')"


@dataclass(frozen=True)
class Relation:
    """A table as it was when the session first looked.

    Attributes:
        number: the catalogue's number of it, which no other table has.
        is_plain: whether its own rows are all there is: stored here, not computed, without a
            policy in force, without children.
        is_stored: whether all rows, those of children too, are stored here and not computed.
    """

    number: int
    is_plain: bool
    is_stored: bool


def columns_query(name: str) -> Fragment:
    """Readable columns in order: name, built-in type behind all domains or NULL, its modifier."""
    return Fragment(
        "WITH RECURSIVE behind AS ("
        "SELECT a.attnum, a.attname, a.atttypid AS kind, a.atttypmod AS modifier "
        "FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid "
        f"WHERE c.oid = to_regclass(%s) AND {_KINDS} AND a.attnum > 0 AND NOT a.attisdropped "
        "AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') "
        "UNION ALL SELECT b.attnum, b.attname, d.typbasetype, d.typtypmod "
        "FROM behind AS b JOIN pg_type AS d ON d.oid = b.kind WHERE d.typtype = 'd') "
        "SELECT b.attname, CASE WHEN n.nspname = 'pg_catalog' THEN t.typname END, b.modifier "
        "FROM behind AS b JOIN pg_type AS t ON t.oid = b.kind "
        "JOIN pg_namespace AS n ON n.oid = t.typnamespace "
        "WHERE t.typtype <> 'd' ORDER BY b.attnum",
        (name,),
    )


def members_query(name: str) -> Fragment:
    """The table, first, and all below it: number, kind, plainly stored, policies in force."""
    return Fragment(
        "WITH RECURSIVE tree AS (SELECT CAST(to_regclass(%s) AS oid) AS member "
        "UNION SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.member) "
        "SELECT CAST(c.oid AS bigint), CAST(c.relkind AS text), "
        "COALESCE(m.amname = 'heap', c.relkind = 'p') AND NOT EXISTS ("
        "SELECT FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attgenerated = 'v'), "
        "row_security_active(c.oid) "
        "FROM tree JOIN pg_class AS c ON c.oid = tree.member "
        "LEFT JOIN pg_am AS m ON m.oid = c.relam "
        "ORDER BY c.oid <> to_regclass(%s)",
        (name, name),
    )


def number_query(name: str) -> Fragment:
    """The number of the table that a name means now, whatever the transaction's view.

    The server takes note of renamed schemas when it locks a relation for the first time, so one is
    read that nothing else here reads.
    """
    return Fragment(
        "SELECT CAST(CAST(to_regclass(%s) AS oid) AS bigint) "
        "FROM pg_database WHERE datname = current_database()",
        (name,),
    )


def relation_of(members: Iterable[tuple[int, str, bool, bool]]) -> Relation | None:
    """What the members say; None if there is no such table."""
    found = list(members)
    if not found:
        return None
    number, kind, _, guarded = found[0]
    stored = all(kind in {"r", "m", "p"} and plain for _, kind, plain, _ in found)
    own = len(found) == 1 and kind != "p" and not guarded
    return Relation(number, is_plain=stored and own, is_stored=stored)


def column_type(kind: str | None, modifier: int) -> ColumnType:
    """What a built-in type holds; other types have operators and casts of their own."""
    if kind == "numeric":
        return ColumnType.NUMBER if _fits_doubles(modifier) else ColumnType.OTHER
    return _TYPES.get(kind or "", ColumnType.OTHER)


def _fits_doubles(modifier: int) -> bool:
    """Whether no value overflows or underflows; a modifier below 0 declares no limits."""
    if modifier < 0:
        return False
    digits = ((modifier - 4) >> 16) & 0xFFFF
    scale = (((modifier - 4) & 0x7FF) ^ 0x400) - 0x400  # of 11 bits, with a sign
    return digits - scale <= _MOST_DIGITS and scale <= _MOST_DIGITS


_TYPES: dict[str, ColumnType] = {
    "bool": ColumnType.TRUTH,
    "int2": ColumnType.INTEGER,
    "int4": ColumnType.INTEGER,
    "int8": ColumnType.INTEGER,
    "float4": ColumnType.NUMBER,
    "float8": ColumnType.NUMBER,
    "text": ColumnType.TEXT,
    "varchar": ColumnType.TEXT,
    "bpchar": ColumnType.TEXT,
    "name": ColumnType.TEXT,
    "uuid": ColumnType.TEXT,
    "date": ColumnType.DATE,
    "timestamp": ColumnType.MOMENT,
    "timestamptz": ColumnType.INSTANT,
}
