"""`Ask`: what the sliders say, checked."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.numeric.cost import CostLike, TailProbability
from leastnoise.privacy.guarantee import ApproxDP, PureDP

_LEAST_EPSILON, _MOST_EPSILON = Fraction(1, 1000), Fraction(50)
_LEAST_DELTA, _MOST_DELTA = Fraction(1, 10**30), Fraction(1, 10)
_LEAST_SENSITIVITY, _MOST_SENSITIVITY = Fraction(1, 10**6), Fraction(10**9)
_MOST_QUERIES = 10_000  # answers come while somebody waits
_DECIMAL_COMMA = re.compile(r"[+-]?\d{1,9},(?!\d{3}$)\d{1,20}")  # 1,000 may mean a thousand
_LONGEST = 40  # of a typed number; parsing takes time that grows with its square


@dataclass(frozen=True)
class Ask:
    """A promise, a query and a cost, within what can be answered while somebody waits.

    Attributes:
        epsilon: ε, for all queries together.
        delta: δ, for all queries together.
        sensitivity: the most one person changes each query.
        queries: how many.
        cost: what shall be least: "absolute", "squared" or "tail:T".
    """

    epsilon: Fraction
    delta: Fraction
    sensitivity: Fraction
    queries: int
    cost: str

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> "Ask":
        """From a request.

        Raises:
            InvalidParameter: a part is missing or out of range; the message says which.
        """
        delta = number(said, "delta")
        if delta:
            delta = within(delta, "delta", _LEAST_DELTA, _MOST_DELTA)
        return cls(
            within(number(said, "epsilon"), "epsilon", _LEAST_EPSILON, _MOST_EPSILON),
            delta,
            within(number(said, "sensitivity"), "sensitivity", _LEAST_SENSITIVITY,
                   _MOST_SENSITIVITY),
            whole(said, "queries", 1, _MOST_QUERIES),
            _checked_cost(said.get("cost", "absolute")),
        )  # fmt: skip

    @property
    def promise(self) -> PureDP | ApproxDP:
        """The guarantee."""
        if self.delta:
            return ApproxDP(epsilon=self.epsilon, delta=self.delta)
        return PureDP(epsilon=self.epsilon)

    @property
    def meant_cost(self) -> CostLike:
        """The cost as a value."""
        return cost_named(self.cost)

    def said(self) -> dict[str, Any]:
        """Plain values that `read` understands."""
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "sensitivity": str(self.sensitivity),
            "queries": self.queries,
            "cost": self.cost,
        }


def cost_named(name: str) -> CostLike:
    """The cost meant by "absolute", "squared" or "tail:T", the chance that |error| > T."""
    if name.startswith("tail:"):
        return TailProbability(name.removeprefix("tail:"))
    return name


def _checked_cost(name: Any) -> str:
    if isinstance(name, str) and len(name) <= _LONGEST:
        if name in ("absolute", "squared"):
            return name
        if name.startswith("tail:"):
            TailProbability(name.removeprefix("tail:"))
            return name
    raise _check.refuse(
        "`cost` must be absolute, squared or tail:T", _check.shown(name), "Choose one of them."
    )


def number(said: Mapping[str, Any], name: str) -> Fraction:
    """A number of a request, exact: text such as "0.1", or a JSON number."""
    value = said.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise _check.refuse(f"`{name}` must be a number", "nothing", "Fill it in.")
    if isinstance(value, float):
        value = repr(value)  # the decimal that was typed, not its nearest binary neighbour
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")  # 1,5 as most of Europe writes it
    if isinstance(value, str) and len(value) > _LONGEST:
        raise _check.refuse(
            f"`{name}` must be a number", f"a text of {len(value)} characters", "Use fewer digits."
        )
    return _check.rational(value, name)


def whole(said: Mapping[str, Any], name: str, least: int, most: int) -> int:
    """A whole number of a request, in a range."""
    value = number(said, name)
    if value.denominator != 1:
        raise _check.refuse(f"`{name}` must be a whole number", f"{name}={value}", "Round it.")
    return int(within(value, name, Fraction(least), Fraction(most)))


def within(value: Fraction, name: str, least: Fraction, most: Fraction) -> Fraction:
    """The number, if it is in the range that is answered here."""
    if least <= value <= most:
        return value
    raise _check.refuse(
        f"`{name}` must lie in {_short(least)}..{_short(most)} on this page",
        f"{name}={_short(value)}",
        "The library itself goes further.",
    )


def _short(value: Fraction) -> str:
    try:
        return f"{float(value):g}"
    except OverflowError:
        return "a larger number"
