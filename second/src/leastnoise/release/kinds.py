"""The kinds of aggregates: one declaration each.

A declaration says which totals a kind needs and how its answer is computed from them. The function
that it decorates is what users call; its annotations say how each argument is read.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any, Literal, get_args, get_type_hints

from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import exact, inside, written
from leastnoise.release.estimate import Estimator, Linear, Ratio
from leastnoise.release.quantiles import Histogram, Quantile
from leastnoise.release.spread import Spread
from leastnoise.sql import expression_of
from leastnoise.tables.expressions import Call, Case, Column, Expression, columns_of
from leastnoise.tables.expressions import Literal as Constant
from leastnoise.tables.schema import Schema, Type
from leastnoise.tables.totals import Centred, Met, Present, Rows, Squared, Total, Units

Number = Annotated[Expression, "number"]
Condition = Annotated[Expression, "condition"]
Bound = Annotated[Fraction, "bound"]
Part = Annotated[Fraction, "part"]
_TYPED = {"number": str, "condition": str, "bound": float, "part": float}

Style = Literal["count", "number", "share"]


def histograms_of(estimate: Estimator) -> tuple[Histogram, ...]:
    """The histograms that an answer is computed from."""
    return tuple(getattr(estimate, "histograms", ()))


@dataclass(frozen=True)
class Aggregate:
    """An aggregate as it was asked for: `ln.mean("cost", lower=0, upper=600)`."""

    kind: str
    arguments: Mapping[str, Any]

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.kind}({shown})"


@dataclass(frozen=True)
class Kind:
    """An aggregate over the columns of one table: its totals, and the answer from them.

    Attributes:
        estimate: how the answer is computed from the totals.
        what: what it is, in words.
        sql: the aggregate in SQL.
        style: how its numbers are written.
        clipped: counts the values outside the range, if there is one.
        measured_in: what its numbers are measured in.
    """

    estimate: Estimator
    what: str
    sql: str
    style: Style = "number"
    clipped: Met | None = None
    measured_in: str | None = None

    @property
    def totals(self) -> tuple[Total, ...]:
        """What it needs, each total once."""
        return self.estimate.totals

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        """The cells that it needs, for quantiles."""
        return histograms_of(self.estimate)

    @property
    def is_limited(self) -> bool:
        """Whether a limit can only lower it, or raise it: counts and sums."""
        return isinstance(self.estimate, Linear)


@dataclass(frozen=True)
class _Declaration:
    make: Callable[..., Kind]
    reads: Mapping[str, str]


KINDS: dict[str, _Declaration] = {}
SQL_NAMES: dict[str, str] = {}


def kind(*, sql: tuple[str, ...] = ()) -> Callable[[Callable[..., Kind]], Callable[..., Aggregate]]:
    """Declares a kind; `sql` are the names of its aggregate in SQL."""

    def declare(make: Callable[..., Kind]) -> Callable[..., Aggregate]:
        signature = inspect.signature(make)
        hints = get_type_hints(make, include_extras=True)
        reads = {name: _role(hints[name]) for name in signature.parameters}
        KINDS[make.__name__] = _Declaration(make, reads)
        SQL_NAMES.update(dict.fromkeys(sql, make.__name__))

        def ask(*args: Any, **kwargs: Any) -> Aggregate:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise InvalidInput(f"{make.__name__}: {error}.  help(ln.{make.__name__})") from None
            return Aggregate(make.__name__, dict(bound.arguments))

        ask.__name__, ask.__qualname__, ask.__doc__ = make.__name__, make.__name__, make.__doc__
        plain = [p.replace(annotation=_TYPED[reads[p.name]]) for p in signature.parameters.values()]
        ask.__signature__ = inspect.Signature(plain, return_annotation=Aggregate)  # type: ignore[attr-defined]
        return ask

    return declare


def bind(aggregate: Aggregate, schema: Schema, name: str) -> Kind:
    """The kind of an aggregate over the columns of a schema."""
    if not isinstance(aggregate, Aggregate):
        raise InvalidInput(
            f"{name} is a {type(aggregate).__name__}. Give an aggregate: {name}=ln.count()."
        )
    declaration = KINDS[aggregate.kind]
    given = {key: value for key, value in aggregate.arguments.items() if value is not None}
    arguments = {
        argument: _read(declaration.reads[argument], value, schema, f"{argument} of {name}")
        for argument, value in given.items()
    }
    if "lower" in declaration.reads:
        lower, upper = _range(aggregate.kind, arguments, schema)
        arguments |= {"lower": lower, "upper": upper}
    made = declaration.make(**arguments)
    x = arguments.get("x")
    x = x.parts[0] if isinstance(x, Call) and x.name == "clip" else x
    if isinstance(x, Column) and aggregate.kind != "variance":
        made = replace(made, measured_in=schema[x.name].measured_in)
    return made


def _role(hint: Any) -> str:
    """How an argument is read: as a number, a condition or a bound."""
    parts = get_args(hint)
    return parts[-1] if isinstance(parts[-1], str) else _role(parts[0])


def _read(role: str, given: Any, schema: Schema, what: str) -> Expression | Fraction:
    if role == "bound":
        return exact(given, what)
    if role == "part":
        return inside(given, what)
    found = given if isinstance(given, Expression) else expression_of(given, schema, what)
    if role == "condition" and found.type is not Type.BOOLEAN:
        raise InvalidInput(
            f'{what} is "{found}", which is no condition. Write "{found} IS NOT NULL", '
            f'or compare it: "{found} > 15".'
        )
    if role == "number" and not found.type.is_numeric:
        hint = " Ask for ln.share(...)." if found.type is Type.BOOLEAN else ""
        if found.type is Type.TEXT:
            hint = " If it is text with numbers in it, declare it:\n"
            hint += f'  ln.read(..., columns={{"{found}": "number"}})'
        raise InvalidInput(f'{what} is "{found}", of type {found.type}. Only numbers add up.{hint}')
    return found


def _range(kind: str, arguments: Mapping[str, Any], schema: Schema) -> tuple[Fraction, Fraction]:
    """The bounds that were typed, or those of a clip, or those declared for the column."""
    lower, upper, x = arguments.get("lower"), arguments.get("upper"), arguments["x"]
    ends: tuple[Any, Any] = _ends(x)
    if isinstance(x, Column) and schema[x.name].range is not None:
        ends = schema[x.name].range or (None, None)
    lower = ends[0] if lower is None else lower
    upper = ends[1] if upper is None else upper
    if not isinstance(lower, Fraction) or not isinstance(upper, Fraction):
        raise InvalidInput(
            f'{kind}("{x}") needs a range: values outside are clipped to it, and the margin grows '
            f'with its width.\n  ln.{kind}("{x}", lower=0, upper=600)\n'
            f"  In SQL, of the value:  clip({x}, 0, 600)"
        )
    if not lower < upper:
        raise InvalidInput(
            f"The range of {x} is {written(lower)} to {written(upper)}. lower must be below upper."
        )
    return lower, upper


def _ends(x: Expression) -> tuple[Any, Any]:
    """The range that a clip, or a choice of numbers, has."""
    match x:
        case Call("clip", (_, Constant(low), Constant(high))):
            return Fraction(low), Fraction(high)  # type: ignore[arg-type]
        case Call("least", (Call("greatest", (_, Constant(low))), Constant(high))) | Call(
            "greatest", (Call("least", (_, Constant(high))), Constant(low))
        ):
            return Fraction(low), Fraction(high)  # type: ignore[arg-type]
        case Case():
            values = x.parts[len(x.whens) :]
            if all(isinstance(each, Constant) for each in values):
                numbers = [Fraction(each.value) for each in values]  # type: ignore[attr-defined]
                return min(numbers), max(numbers)
    return None, None


def _outside(centred: Centred) -> Met:
    low, high = (Constant(_plain(end)) for end in (centred.lower, centred.upper))
    below, above = Call("<", (centred.value, low)), Call(">", (centred.value, high))
    return Met(centred.where, Call("or", (below, above)))


def _plain(number: Fraction) -> int | Fraction:
    return int(number) if number.denominator == 1 else number


def _ending(where: Expression | None) -> str:
    return "" if where is None else f", where {where}"


@kind(sql=("COUNT",))
def count(where: Condition | None = None) -> Kind:
    """Number of rows."""
    sql = f"COUNT(*){_filter(where)}"
    return Kind(Linear.of(_rows(where), sign=1), f"count{_ending(where)}", sql, "count")


def _rows(where: Expression | None) -> Total:
    """The rows that meet a condition; of `x IS NOT NULL`, what a mean of x is measured with, too."""
    match where:
        case Call("not", (Call("is null", (x,)),)):
            return Present(None, x)
        case Call("and", (others, Call("not", (Call("is null", (x,)),)))):
            return Present(others, x)
        case _:
            return Rows(where)


@kind()
def count_units(where: Condition | None = None) -> Kind:
    """Number of privacy units that have a row."""
    sql = f"COUNT(DISTINCT {{unit}}){_filter(where)}"
    return Kind(Linear.of(Units(where), sign=1), f"count of units{_ending(where)}", sql, "count")


@kind(sql=("SUM",))
def sum(
    x: Number,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    where: Condition | None = None,
) -> Kind:
    """Sum of the values that are present, each clipped to lower .. upper."""
    assert lower is not None and upper is not None
    centred = Centred(where, x, lower, upper)
    linear = Linear(
        {Present(where, x): centred.middle, centred: centred.step},
        sign=1 if lower >= 0 else -1 if upper <= 0 else 0,
    )
    sql = _clipped_sql("SUM", centred)
    return Kind(linear, f"sum of {_ranged(centred)}", sql, clipped=_outside(centred))


@kind(sql=("AVG", "MEAN"))
def mean(
    x: Number,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    where: Condition | None = None,
) -> Kind:
    """Mean of the values that are present, each clipped to lower .. upper."""
    assert lower is not None and upper is not None
    centred = Centred(where, x, lower, upper)
    present = Present(where, x)
    ratio = Ratio(
        {present: centred.middle, centred: centred.step}, {present: Fraction(1)}, lower, upper
    )
    sql = _clipped_sql("AVG", centred)
    return Kind(ratio, f"mean of {_ranged(centred)}", sql, clipped=_outside(centred))


@kind()
def share(condition: Condition, where: Condition | None = None) -> Kind:
    """Share of the rows that meet a condition, among those for which it is known."""
    met, present = Met(where, condition), Present(where, _known_with(condition))
    half = Fraction(1, 2)
    ratio = Ratio({present: half, met: half}, {present: Fraction(1)}, Fraction(0), Fraction(1))
    sql = f"AVG({condition}){_filter(where)}"
    return Kind(ratio, f"share with {condition}{_ending(where)}", sql, "share")


def _spread(
    x: Expression, lower: Fraction, upper: Fraction, where: Expression | None, *, root: bool
) -> Kind:
    squared = Squared(where, x, lower, upper)
    name, what = ("STDDEV", "standard deviation") if root else ("VARIANCE", "variance")
    spread = Spread(squared, root)
    sql = _clipped_sql(name, squared)
    return Kind(spread, f"{what} of {_ranged(squared)}", sql, clipped=_outside(spread.centred))


@kind(sql=("VARIANCE", "VAR_SAMP", "VAR_POP"))
def variance(
    x: Number,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    where: Condition | None = None,
) -> Kind:
    """Variance of the values that are present, each clipped to lower .. upper."""
    assert lower is not None and upper is not None
    return _spread(x, lower, upper, where, root=False)


@kind(sql=("STDDEV", "STDDEV_SAMP", "STDDEV_POP"))
def std(
    x: Number,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    where: Condition | None = None,
) -> Kind:
    """Standard deviation of the values that are present, each clipped to lower .. upper."""
    assert lower is not None and upper is not None
    return _spread(x, lower, upper, where, root=True)


def _quantile(
    x: Expression, q: Fraction, lower: Fraction, upper: Fraction, where: Expression | None
) -> Kind:
    histogram = Histogram(where, x, lower, upper)
    half = q == Fraction(1, 2)
    what = "median" if half else f"{written(q)} quantile"
    ends = f"{written(lower)} to {written(upper)}"
    clipped = f"clip({x}, {written(lower)}, {written(upper)})"
    call = f"MEDIAN({clipped})" if half else f"QUANTILE({clipped}, {written(q)})"
    sql = f"{call}{_filter(where)}"
    return Kind(Quantile(histogram, q), f"{what} of {x}, {ends}{_ending(where)}", sql)


@kind(sql=("QUANTILE", "QUANTILE_CONT", "PERCENTILE_CONT"))
def quantile(
    x: Number,
    q: Part,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    where: Condition | None = None,
) -> Kind:
    """The value below which a part q of the values lies."""
    assert lower is not None and upper is not None
    return _quantile(x, q, lower, upper, where)


@kind(sql=("MEDIAN",))
def median(
    x: Number,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    where: Condition | None = None,
) -> Kind:
    """The value below which half of the values lie."""
    assert lower is not None and upper is not None
    return _quantile(x, Fraction(1, 2), lower, upper, where)


def _known_with(condition: Expression) -> Expression:
    """What is present just where a comparison with constants is known: its only column, if so.

    Then a mean of the column and the share have this total in common.
    """
    columns = {*columns_of(condition)}
    compares = isinstance(condition, Call) and condition.name in (
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "in",
    )
    if compares and len(columns) == 1:
        (column,) = columns
        if all(isinstance(part, Column | Constant) for part in condition.parts):
            return column
    return condition


def _filter(where: Expression | None) -> str:
    return "" if where is None else f" FILTER (WHERE {where})"


def _clipped_sql(name: str, centred: Centred) -> str:
    x, low, high = centred.value, written(centred.lower), written(centred.upper)
    clipped = str(x) if isinstance(x, Call) and x.name == "clip" else f"clip({x}, {low}, {high})"
    return f"{name}({clipped}){_filter(centred.where)}"


def _ranged(centred: Centred) -> str:
    if isinstance(centred.value, Call) and centred.value.name == "clip":
        return f"{centred.value}{_ending(centred.where)}"
    ends = f"{written(centred.lower)} to {written(centred.upper)}"
    return f"{centred.value}, {ends}{_ending(centred.where)}"
