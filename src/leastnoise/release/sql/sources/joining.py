"""One JOIN: which rows match, and by which of the theorems."""

from collections.abc import Sequence
from dataclasses import replace

from leastnoise.release.ask.column_facts import ColumnFacts
from leastnoise.release.measure import sources
from leastnoise.release.measure.sources import PublicRows, Rows
from leastnoise.release.sql.rows.scope import Known
from leastnoise.release.sql.rows.to_condition import condition_on
from leastnoise.release.sql.sources.conjuncts import conjuncts, is_about, linked, together
from leastnoise.release.sql.sources.owners import refuse_untied
from leastnoise.release.sql.sources.side import Side, refuse_twice
from leastnoise.release.sql.text.place import Place, refused, standing_at
from leastnoise.release.sql.text.tree import Compared, Expression, Join, Name

Pairs = list[tuple[Known, Known]]
_MULTIPLIED = (
    "COUNT(*) counts rows after the join, of which one row may have become several; "
    "COUNT(DISTINCT unit) counts units."
)


def joined(
    left: Side, right: Side, join: Join, where: list[Expression]
) -> tuple[Side, list[Expression]]:
    """Both sides as one, and the conditions of WHERE that the join did not use up.

    Raises:
        InvalidParameter: rows of two units would come together, or rows of nobody would be kept.
    """
    refuse_twice((each.table for each in left.known), right.known[0].table, join.at)
    left = left.apart(())
    right = right.apart(left.schema.names)
    pairs, filters = _conditions(left, right, join)
    if join.how == "cross":
        pairs, where = _from_where(left, right, where)
    right, filters, how = _filtered(right, filters, join)
    if left.is_public and not right.is_public:
        left, right, pairs, how = _turned(left, right, pairs, how, join.at)
    elif how == "right":
        how = _kept_right(right, join.at)
        right = replace(right, kept=right.schema.names)
    if how == "full":
        raise _nobody(join.at, "FULL JOIN")
    with standing_at(join.at):
        found = _together(left, right, pairs, how, join)
    if filters:
        found = found.filtered(condition_on(together(filters), found.scope))  # type: ignore[arg-type]
    return found, where


def matched(left: Side, right: Side, pairs: Pairs, *, absent: bool, at: Place) -> Side:
    """The rows on the left that have a match on the right, or those that have none."""
    how = "anti" if absent else "semi"
    on = _names(pairs)
    if left.is_public:
        raise refused(
            at,
            "EXISTS is about private rows",
            "public ones outside it",
            "Read the public table as it is.",
        )
    assert isinstance(left.rows, Rows)
    with standing_at(at):
        if isinstance(right.rows, PublicRows):
            return replace(left, rows=sources.with_public(left.rows, right.rows, on=on, how=how))
        refuse_untied(left, right, pairs, at)
        return replace(left, rows=sources.tied(left.rows, right.rows, on=on, how=how))


def _conditions(left: Side, right: Side, join: Join) -> tuple[Pairs, list[Expression]]:
    """Pairs of columns that must be equal, and everything else that ON says."""
    pairs: Pairs = []
    rest: list[Expression] = []
    for name in join.using:
        here = Name(join.at, name)
        pairs.append((left.scope.find(here), right.scope.find(here)))
    for each in conjuncts(join.on):
        pair = linked(each, left.scope, right.scope)
        if pair is None:
            rest.append(each)
        else:
            pairs.append(pair)
    return pairs, rest


def _from_where(left: Side, right: Side, where: list[Expression]) -> tuple[Pairs, list[Expression]]:
    """FROM a, b WHERE a.id = b.id is a join like any other."""
    pairs: Pairs = []
    rest: list[Expression] = []
    for each in where:
        pair = linked(each, left.scope, right.scope)
        if pair is None or not isinstance(each, Compared):
            rest.append(each)
        else:
            pairs.append(pair)
    return pairs, rest


def _filtered(
    right: Side, filters: list[Expression], join: Join
) -> tuple[Side, list[Expression], str]:
    """What ON says of the right side alone is asked of it before; the rest only of inner joins."""
    how = "inner" if join.how == "cross" else join.how
    own = [each for each in filters if is_about(each, right.scope)]
    rest = [each for each in filters if not is_about(each, right.scope)]
    if rest and how != "inner":
        raise refused(
            rest[0].at,
            f"ON of a {how.upper()} JOIN compares columns of both sides, or tests the joined side",
            "a condition on the other side",
            "Move it to WHERE, if it is meant there.",
        )
    if own and how in {"right", "full"}:
        raise refused(
            own[0].at, f"ON of a {how.upper()} JOIN compares columns", "a test", "Use a subquery."
        )
    if own:
        right = right.filtered(condition_on(together(own), right.scope))  # type: ignore[arg-type]
    return right, rest, how


def _turned(
    left: Side, right: Side, pairs: Pairs, how: str, at: Place
) -> tuple[Side, Side, Pairs, str]:
    """A public table in front of a private one: the same join from the other side."""
    if how == "left":
        how = _kept_right(left, at)
        left = replace(left, kept=left.schema.names)
    elif how == "right":
        how = "left"
    return right, left, [(other, one) for one, other in pairs], how


def _kept_right(kept: Side, at: Place) -> str:
    """Public rows without a match are groups without rows, if groups are made by them."""
    if kept.is_public:
        return "inner"
    raise _nobody(at, "RIGHT JOIN")


def _nobody(at: Place, what: str) -> Exception:
    return refused(
        at,
        "rows that are kept without a match must be those of units on the left",
        what,
        "Write JOIN or LEFT JOIN, the other way round if need be.",
    )


def _together(left: Side, right: Side, pairs: Pairs, how: str, join: Join) -> Side:
    on, at, using = _names(pairs), join.at, join.using
    if left.is_public:
        raise refused(
            at,
            "a join must begin at private rows",
            "two public tables",
            "Name the private table first, and join each public one to it.",
        )
    assert isinstance(left.rows, Rows)
    notes = (*left.notes, *right.notes)
    if isinstance(right.rows, PublicRows):
        if not pairs:
            raise refused(
                at, "a join must say which columns are equal", "none", "Write ON a.city = b.name."
            )
        rows = sources.with_public(left.rows, right.rows, on=on, how=how)
        notes = (*notes, _MULTIPLIED)
    else:
        refuse_untied(left, right, pairs, at)
        rows = sources.tied(left.rows, right.rows, on=on, how=how)
        notes = (*notes, _MULTIPLIED)
    absent = how == "left"
    return Side(
        rows=rows,
        known=_known(left, right, using, absent=absent),
        facts={**left.facts, **{name: _fact(fact, absent) for name, fact in right.facts.items()}},
        kept=(*left.kept, *right.kept),
        origins={**left.origins, **right.origins},
        notes=notes,
    )


def _known(left: Side, right: Side, using: tuple[str, ...], *, absent: bool) -> tuple[Known, ...]:
    """All columns; of two that are equal by USING, the plain name means the left one."""
    shared = {name.casefold() for name in using}
    kept = bool(right.kept)  # of rows that are kept without a match, the name is theirs
    return (
        *(_hidden(each, shared if kept else set()) for each in left.known),
        *(
            _hidden(
                replace(each, may_be_absent=absent or each.may_be_absent),
                set() if kept else shared,
            )
            for each in right.known
        ),
    )


def _hidden(known: Known, names: set[str]) -> Known:
    return replace(known, is_hidden=True) if known.name.casefold() in names else known


def _fact(fact: ColumnFacts, absent: bool) -> ColumnFacts:
    return ColumnFacts(lower=fact.lower, upper=fact.upper, values=fact.values) if absent else fact


def _names(pairs: Sequence[tuple[Known, Known]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((one.column.name, other.column.name) for one, other in pairs))
