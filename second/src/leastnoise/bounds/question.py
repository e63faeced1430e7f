"""`Question`: which means are to be published, how privately, and how their error is judged.

Each of n records has d numbers, and each number takes one of two values. Neighbours differ in one
record, n is public, and the d means are published. Means of other values are means of signs, -1 and
1, on another scale; so all theorems are about signs. An error is judged for the worst table:

- "max": the greatest error of the d means, which holds with probability `confidence`;
- "average": the mean over the columns of E|error|;
- "squared": the root of the mean over the columns of E(error)^2;
- "l2": the root of E(length of the vector of errors)^2, which is sqrt(d) times the last.

Proof page: docs/proofs/sample_sizes.md, section 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from textwrap import fill
from typing import Literal

from leastnoise.numbers.ball import ball, enclosure
from leastnoise.numbers.errors import InvalidInput
from leastnoise.numbers.exact import Checked, Exact, exact, inside, positive, whole, written
from leastnoise.numbers.interval import End, Interval

Objective = Literal["max", "average", "squared", "l2"]
_KINDS = {
    "max": "worst error",
    "average": "mean error",
    "squared": "root mean square error",
    "l2": "root mean square length of the errors",
}
LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**9), 1000
_MOST_DIMENSION = 10**6
_LEAST_DELTA, _MOST_DELTA = Fraction(1, 10**40), Fraction(99, 100)
_LEAST_ERROR = Fraction(1, 10**12)


def _dimension(value: Exact, name: str) -> int:
    found = whole(value, name)
    if found > _MOST_DIMENSION:
        raise InvalidInput(f"{name} is {found}. Give at most {_MOST_DIMENSION:,}.")
    return found


def _epsilon(value: Exact, name: str) -> Fraction:
    found = exact(value, name)
    if not LEAST_EPSILON <= found <= MOST_EPSILON:
        raise InvalidInput(f"{name} is {written(found)}. Give a number from 1e-9 to 1000.")
    return found


def _delta(value: Exact, name: str) -> Fraction:
    found = exact(value, name)
    if found and not _LEAST_DELTA <= found <= _MOST_DELTA:
        raise InvalidInput(f"{name} is {written(found)}. Give 0 or a number from 1e-40 to 0.99.")
    return found


def _objective(value: str, name: str) -> str:
    if not isinstance(value, str) or value not in _KINDS:
        raise InvalidInput(f'{name} is {value!r:.40}. Give "max", "average", "squared" or "l2".')
    return value


def _confidence(value: Exact | None, name: str) -> Fraction | None:
    return None if value is None else inside(value, name)


def _values(value: tuple[Exact, Exact], name: str) -> tuple[Fraction, Fraction]:
    if isinstance(value, tuple) and len(value) == 2:
        low, high = (exact(each, name) for each in value)
        if low < high:
            return low, high
    raise InvalidInput(f"{name} is no pair of numbers, the lesser first. Give (0, 1) for bits.")


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, without the number of records or the error."""

    dimension: Checked[Exact, int] = Checked(_dimension)
    epsilon: Checked[Exact, Fraction] = Checked(_epsilon)
    delta: Checked[Exact, Fraction] = Checked(_delta)
    objective: Checked[str, str] = Checked(_objective)
    confidence: Checked[Exact | None, Fraction | None] = Checked(_confidence)
    values: Checked[tuple[Exact, Exact], tuple[Fraction, Fraction]] = Checked(_values)

    def __post_init__(self) -> None:
        if self.objective != "max" and self.confidence is not None:
            raise InvalidInput('confidence is for objective="max" alone. Leave it out.')

    @property
    def half(self) -> Fraction:
        """Half the distance of the two values: the error of publishing their middle."""
        return (self.values[1] - self.values[0]) / 2

    @property
    def risk(self) -> Fraction:
        """How often the greatest error may be larger."""
        return 1 - (self.confidence or Fraction(95, 100))

    @property
    def is_squared(self) -> bool:
        """Whether squares of errors are averaged."""
        return self.objective in ("squared", "l2")

    def on_signs(self, error: Exact) -> Interval:
        """An error as that of one mean of signs."""
        given = positive(error, "error") / self.half
        found = self._by_root(given, -1)
        if found.lower < _LEAST_ERROR:
            raise InvalidInput(f"error is {written(given * self.half)}. Give a larger one.")
        if found.upper >= 1:
            raise InvalidInput(
                f"error is {written(given * self.half)}: to publish the middle of the values, without "
                "data, is as good. Give a smaller one."
            )
        return found

    def on_scale(self, error: Interval) -> Interval:
        """The error of one mean of signs on the scale of the values; of all, if their length counts."""
        low, high = (
            self._by_root(Fraction(end) * self.half, 1) for end in (error.lower, error.upper)
        )
        return Interval(low.lower, high.upper)

    def _by_root(self, error: Fraction, power: int) -> Interval:
        """The error, times sqrt(d)^power if the length of all errors is judged."""
        if self.objective != "l2":
            return Interval.exactly(error)
        return enclosure(lambda: ball(error) * ball(self.dimension).sqrt() ** power)

    def title(self, error: Exact | None = None, *, records: int | None = None) -> str:
        """The question in one line."""
        names: dict[tuple[Fraction | int, ...], str] = {(-1, 1): "±1", (0, 1): "bits"}
        low, high = self.values
        values = names.get(self.values, f"values {written(low)} and {written(high)}")
        judged = _KINDS[self.objective]
        parts = [f"{self.dimension:,} {'means' if self.dimension > 1 else 'mean'} of {values}"]
        parts.append(judged if error is None else f"{judged} {written(exact(error))}")
        if self.objective == "max":
            parts[-1] += f" with confidence {written(1 - self.risk)}"
        if records is not None:
            parts.append(f"{records:,} records")
        return ", ".join(parts)

    @property
    def promise(self) -> str:
        """The privacy in words."""
        delta = f", delta {written(self.delta)}" if self.delta else ""
        return f"epsilon {written(self.epsilon)}{delta}"


def rounded(number: End, rounding: str = ROUND_FLOOR) -> str:
    """Four significant digits, rounded down or up."""
    exact_number, context = Fraction(number), Context(prec=4, rounding=rounding)
    parts = Decimal(exact_number.numerator), Decimal(exact_number.denominator)
    return f"{float(context.divide(*parts)):g}"


def table(title: str, head: tuple[str, str], rows: Sequence[tuple[str, str, str]]) -> str:
    """A title, and rows of a name, a number and a remark below it."""
    lines = [(*head, ""), *rows]
    wide, right = (max(len(line[i]) for line in lines) for i in (0, 1))
    shown = (f"{line[0]:<{wide}}  {line[1]:>{right}}  {line[2]}".rstrip() for line in lines)
    return "\n".join([fill(title, 80), "", *shown])
