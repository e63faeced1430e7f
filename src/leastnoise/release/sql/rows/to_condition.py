r"""Conditions of SQL, whose truth may be unknown, as conditions that are true or false.

Theorem: T(p) below holds exactly in the rows where SQL's p is TRUE, F(p) exactly where it is FALSE.
Proof: of a comparison T is the comparison itself and F its opposite, and ours are false without a
value; NOT exchanges both; for AND and OR the rules are Kleene's tables; induction over p.
"""

from collections.abc import Callable
from datetime import date, datetime, time
from functools import reduce
from operator import and_, or_

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.expression import Condition, Term, Value
from leastnoise.release.ask.kinds import kind_of
from leastnoise.release.measure.sql.dialect import DUCKDB
from leastnoise.release.measure.sql.sql_condition import condition_sql
from leastnoise.release.sql.rows.scope import Scope
from leastnoise.release.sql.rows.to_term import Truth, term_of
from leastnoise.release.sql.text.place import Place, refused, standing_at
from leastnoise.release.sql.text.tree import (
    Between,
    Call,
    Chain,
    Compared,
    Computed,
    Exists,
    Expression,
    InList,
    InQuery,
    IsNull,
    IsTruth,
    Like,
    Literal,
    Name,
    Negated,
)

_OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TURNED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TESTS: dict[str, Callable[[Term, object], Condition]] = {
    "=": lambda term, other: term.equals(other),
    "<>": lambda term, other: term.differs(other),
    "<": lambda term, other: term < other,
    "<=": lambda term, other: term <= other,
    ">": lambda term, other: term > other,
    ">=": lambda term, other: term >= other,
}
_DATED = {ColumnType.DATE, ColumnType.MOMENT}


def to_term(expression: Expression, scope: Scope) -> Term | Value | None:
    """The term of an expression, or the value that is written; None for NULL.

    Raises:
        InvalidParameter: something that no single row has a value of.
    """
    return term_of(expression, scope, true_where)


def true_where(expression: Expression, scope: Scope) -> Truth:
    """T: where SQL says TRUE.

    Raises:
        InvalidParameter: not a condition on one row; the message begins with the place.
    """
    return _truth(expression, scope, wanted=True)


def condition_on(expression: Expression, scope: Scope) -> Condition | None:
    """T, of a condition on which rows count; None if all of them do.

    Raises:
        InvalidParameter: not a condition on one row, or one that is never true.
    """
    found = true_where(expression, scope)
    if found is False:
        raise refused(
            expression.at,
            "some row that belongs to a unit must be able to meet a condition",
            "one that is never true of them",
            "Leave it out. Rows that say nothing of whose they are count in no answer but that of "
            'a plan\'s question ask = "without_unit".',
        )
    return None if found is True else found


def _names_the_unit(name: Name, scope: Scope) -> bool:
    """Whether a column has a value in every row that counts, as it says whose row it is."""
    known = scope.find(name)
    return known.is_unit and not known.may_be_absent


def _truth(  # noqa: PLR0911 - one case after another
    expression: Expression, scope: Scope, *, wanted: bool
) -> Truth:
    match expression:
        case Negated():
            return _truth(expression.one, scope, wanted=not wanted)
        case Chain():
            return _chain(expression, scope, wanted)
        case IsTruth():
            found = _truth(expression.one, scope, wanted=expression.value)
            return found if wanted else _not(found)
        case Literal(value=bool() as value):
            return value is wanted
        case IsNull(one=Name() as name) if wanted and _names_the_unit(name, scope):
            return False  # of rows that count, whatever else holds
        case IsNull():
            missing = _term(expression.one, scope).is_null()
            return missing if wanted else ~missing
        case Compared():
            return _compared(expression, scope, wanted)
        case Between():
            low = Compared(expression.at, ">=", expression.one, expression.low)
            high = Compared(expression.at, "<=", expression.one, expression.high)
            return _chain(Chain(expression.at, "and", (low, high)), scope, wanted)
        case InList():
            return _listed(expression, scope, wanted)
        case Like():
            return _like(expression, scope, wanted)
        case Name() | Call():
            return _bare(expression, scope, wanted)
        case Exists() | InQuery():
            raise refused(
                expression.at,
                "EXISTS and IN (SELECT …) stand in WHERE, joined to the rest by AND",
                "one inside something else",
                "Write it as a condition of its own.",
            )
    raise refused(
        expression.at,
        "a condition must be true or false",
        "a value",
        "Compare it: age >= 18.",
    )


def _not(truth: Truth) -> Truth:
    return (not truth) if isinstance(truth, bool) else ~truth


def _chain(chain: Chain, scope: Scope, wanted: bool) -> Truth:
    """T of a AND b is T(a) and T(b), F is F(a) or F(b); the other way round for OR."""
    parts = [_truth(each, scope, wanted=wanted) for each in chain.parts]
    join_all = (chain.word == "and") is wanted
    if any(isinstance(each, bool) and each is not join_all for each in parts):
        return not join_all
    open_parts = [each for each in parts if not isinstance(each, bool)]
    return reduce(and_ if join_all else or_, open_parts) if open_parts else join_all


def _compared(expression: Compared, scope: Scope, wanted: bool) -> Truth:
    one, sign = _folded(expression.one, scope), expression.sign
    other = _folded(expression.other, scope)
    if isinstance(one, Literal) and isinstance(other, Literal):
        return _constants(expression, one, other) is wanted
    if isinstance(one, Literal):
        one, sign, other = other, _TURNED[sign], one
    if not wanted:
        sign = _OPPOSITE[sign]
    term = _term(one, scope)
    with standing_at(expression.at):
        if not isinstance(other, Literal):
            return _typed(_TESTS[sign](term, _term(other, scope)), scope)
        return _typed(_TESTS[sign](term, _value(other, term, scope)), scope)


def _typed(condition: Condition, scope: Scope) -> Condition:
    """The condition, if its types fit together: so a refusal stands where it is written."""
    condition_sql(condition, scope.schema, DUCKDB)
    return condition


def _folded(expression: Expression, scope: Scope) -> Expression:
    """Numbers that are computed of written ones alone are written ones too: 10 + 30 is 40."""
    if not isinstance(expression, Computed):
        return expression
    found = to_term(expression, scope)
    return expression if isinstance(found, Term) else Literal(expression.at, found)


def _constants(expression: Compared, one: Literal, other: Literal) -> bool:
    left, right = _present(one), _present(other)
    if isinstance(left, str) is not isinstance(right, str) or isinstance(left, date) is not (
        isinstance(right, date)
    ):
        raise refused(
            expression.at, "values of one type are compared", "two types", "Write both alike."
        )
    less, equal = bool(left < right), bool(left == right)  # type: ignore[operator]
    truths = {"=": equal, "<>": not equal, "<": less, ">=": not less}
    truths |= {"<=": less or equal, ">": not (less or equal)}
    return truths[expression.sign]


def _term(expression: Expression, scope: Scope) -> Term:
    found = to_term(expression, scope)
    if isinstance(found, Term):
        return found
    raise refused(
        expression.at, "a condition must be about a column", "a value alone", "Name a column."
    )


def _present(literal: Literal) -> Value:
    if literal.value is None:
        raise refused(
            literal.at,
            "nothing is equal to NULL, or different from it",
            "a comparison with NULL",
            "Write IS NULL or IS NOT NULL.",
        )
    return literal.value


def _value(literal: Literal, term: Term, scope: Scope) -> Value:
    """What to compare a term with; a text against dates is the date that it writes."""
    value, kind = _present(literal), kind_of(term, scope.schema)
    if kind not in _DATED:
        return value
    if isinstance(value, str):
        value = _dated(value, literal.at)
    if kind is ColumnType.DATE and isinstance(value, datetime) and value.time() == time():
        return value.date()
    if kind is ColumnType.MOMENT and type(value) is date:
        return datetime.combine(value, time())
    return value


def _dated(text: str, at: Place) -> date | datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is not None and found.tzinfo is None:
        return found
    raise refused(
        at, "a date is written year-month-day", f"{text[:40]!r}", "Write DATE '2026-01-31'."
    )


def _listed(expression: InList, scope: Scope, wanted: bool) -> Truth:
    term = _term(expression.one, scope)
    values: list[Value] = []
    for value in expression.values:
        each = _folded(value, scope)
        if not isinstance(each, Literal):
            raise refused(
                each.at, "a list must hold values", "something else", "Use OR for columns."
            )
        if each.value is None:
            raise refused(
                each.at,
                "a list must not hold NULL: NOT IN is never true of such a list",
                "NULL",
                "Leave it out, and add OR x IS NULL if that is meant.",
            )
        values.append(_value(each, term, scope))
    with standing_at(expression.at):
        one_of = _typed(term.isin(values), scope)
    return one_of if wanted else ~one_of & ~term.is_null()


def _like(expression: Like, scope: Scope, wanted: bool) -> Truth:
    term = _term(expression.one, scope)
    pattern = expression.pattern
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        raise refused(pattern.at, "a pattern must be a text", "something else", "Write 'Os%'.")
    mark = expression.escape
    if mark is not None and not (isinstance(mark, Literal) and isinstance(mark.value, str)):
        raise refused(mark.at, "ESCAPE must be a text of one sign", "something else", "Write '!'.")
    with standing_at(expression.at if mark is None else mark.at):
        fits = term.like(pattern.value, None if mark is None else str(mark.value))
    with standing_at(expression.at):
        _typed(fits, scope)
    return fits if wanted else ~fits & ~term.is_null()


def _bare(expression: Name | Call, scope: Scope, wanted: bool) -> Truth:
    """A column of truth values, or a function that gives some."""
    found = to_term(expression, scope)
    if isinstance(found, Term) and kind_of(found, scope.schema) is ColumnType.TRUTH:
        return found.equals(wanted)
    raise refused(
        expression.at,
        "a condition must be true or false",
        "a value of another type",
        "Compare it: age >= 18.",
    )
