"""`WantedWidth`: how precise answers are to be, in their own unit or as a percentage."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.errors import InvalidParameter
from leastnoise.release.result.forecast import Forecast, shown_size

Within = Mapping[str, Exact] | Exact
"""Names of questions ↦ how far off 95 % of their answers may be; or one such width for all."""


@dataclass(frozen=True)
class WantedWidth:
    """How far off 95 % of the answers of a question may be.

    Attributes:
        amount: in the answer's own unit, or the percentage.
        relative: whether it is a percentage.
    """

    amount: Fraction
    relative: bool

    def of(self, told: Forecast) -> Fraction:
        """The half-width in the units of the forecast.

        Raises:
            InvalidParameter: the answer's size, or what its error depends on, is not known.
        """
        if told.interval is None or told.of == "rank":
            raise _refuse_unexpected(told, "the error of an answer that depends on its rows")
        if not self.relative:
            return self.amount
        if told.yardstick is None:
            raise _refuse_unexpected(told, "a percentage")
        return self.amount / 100 * Fraction(told.yardstick)

    def words(self, told: Forecast) -> str:
        """What was assumed, in a sentence."""
        width = shown_size(float(self.of(told)))
        of = "" if told.of == "answer" else f" ({told.of})"
        size = "" if told.yardstick is None else shown_size(told.yardstick)
        part = f", {shown_size(float(self.amount))} % of {size} ({told.yardstick_words})"
        for_ = f", for {told.expected:,} {told.rows}" if told.expected is not None else ""
        asked = f"{told.question}: 95 % within ±{width}{of}{part if self.relative else ''}"
        return f"{asked}{for_}{told.assumed}"


def wanted_widths(within: Within, names: Sequence[str]) -> dict[str, WantedWidth]:
    """By the names of questions, how precise they are to be.

    Raises:
        InvalidParameter: an unknown question, none at all, or a width that is not positive.
    """
    if not isinstance(within, Mapping):
        return dict.fromkeys(names, _width(within, "within"))
    for name in within:
        if name not in names:
            raise _refuse_unknown(name, names)
    if not within:
        raise _check.refuse("`within` must name questions of the plan", "nothing", _one_of(names))
    return {name: _width(width, f"within[{name!r}]") for name, width in within.items()}


def _width(width: Exact, name: str) -> WantedWidth:
    relative = isinstance(width, str) and width.rstrip().endswith("%")
    amount = width.rstrip()[:-1] if isinstance(width, str) and relative else width
    try:
        return WantedWidth(_check.positive(amount, name), relative)
    except InvalidParameter:
        raise _check.refuse(
            f"`{name}` must be a number above 0, or a percentage",
            _check.shown(width),
            "Write 5 for an error of 5 in the answer's own unit, or '2%' of what is expected.",
        ) from None


def _refuse_unknown(name: object, names: Sequence[str]) -> Exception:
    near = get_close_matches(name, names, 1) if isinstance(name, str) else []
    remedy = f"Did you mean {near[0]!r}?" if near else _one_of(names)
    return _check.refuse("`within` must name questions of the plan", _check.shown(name), remedy)


def _one_of(names: Sequence[str]) -> str:
    return f"One of: {', '.join(map(repr, names))}."


def _refuse_unexpected(told: Forecast, what: str) -> Exception:
    name = visible(told.question)
    if told.expected is None:
        remedy = f"Say how many {told.rows} one answer is about: `expected` in the question."
        return _check.refuse(f"{what} needs a number to expect", f"none for {name!r}", remedy)
    remedy = (
        "Say what the answer will be about: `expected_answer` in the question; or ask for a number."
        if told.interval is not None
        else f"Expect more {told.rows}: with so few the divisor is within its noise."
    )
    return _check.refuse(f"{what} needs an answer to expect", f"none for {name!r}", remedy)
