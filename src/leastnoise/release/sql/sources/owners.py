"""Whether a join of private rows says that both belong to the same unit."""

from collections.abc import Sequence

from leastnoise.release.measure.sources import Rows
from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.sources.side import Side
from leastnoise.release.sql.text.place import Place, refused


def refuse_untied(left: Side, right: Side, pairs: Sequence[tuple[Known, Known]], at: Place) -> None:
    """Checks that rows are joined on the unit, or along keys that lead to it.

    The owners are compared in any case; but a join that does not say so would mean something else.

    Raises:
        InvalidParameter: they are joined on other columns, or on none.
    """
    assert isinstance(left.rows, Rows), "private"
    assert isinstance(right.rows, Rows), "private"
    if any(_is_tie(left.rows, right.rows, pair) for pair in pairs):
        return
    units = [next((str(k.name) for k in side.known if k.is_unit), "") for side in (left, right)]
    column = units[0] or units[1] or "the key that leads to the unit"
    raise refused(
        at,
        "both sides are private, and a row must not be made of rows of two units",
        "a join on something else",
        f"Join on {column} by `column = column`, and AND the rest.",
    )


def _is_tie(left: Rows, right: Rows, pair: tuple[Known, Known]) -> bool:
    one, other = pair
    if one.is_unit and other.is_unit:
        return True
    mine, theirs = left.traced(one.column.name), right.traced(other.column.name)
    if mine is None or theirs is None:
        return False
    way, their_way = left.ways[mine.location], right.ways[theirs.location]
    down = way.column == mine.column and way.key == theirs
    up = their_way.column == theirs.column and their_way.key == mine
    beside = (
        way.column == mine.column
        and their_way.column == theirs.column
        and way.key is not None
        and way.key == their_way.key
    )
    return down or up or beside
