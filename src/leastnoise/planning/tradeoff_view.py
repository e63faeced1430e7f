"""The hypothesis-testing view of a mechanism, as data for plots."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, SupportsIndex

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.numeric.interval import Endpoint, Interval
from leastnoise.privacy.curves.budget_curve import float_above
from leastnoise.privacy.curves.tradeoff_brackets import tradeoff_brackets
from leastnoise.privacy.curves.tradeoff_curve import PiecewiseLinearTradeoff
from leastnoise.privacy.guarantee import ApproxDP, PureDP, exact_text
from leastnoise.privacy.loss import PrivacyLoss

_LOGITS = [n / 4 for n in range(-48, 49)]  # alarms from 6e-6 to 1 - 6e-6, dense at both ends


@dataclass(frozen=True)
class ErrorRates:
    """The two error rates of the best test that raises no more false alarms.

    Attributes:
        false_alarm: how often the test accuses when the record is absent.
        missed_detection: how often it acquits when the record is present.
    """

    false_alarm: Interval
    missed_detection: Interval


@dataclass(frozen=True, repr=False)
class TradeoffView:
    """A trade-off curve beside the line that (ε, δ)-DP draws; all in brackets.

    No test between neighbours has error rates below the curve, and none of an (ε, δ)-DP mechanism
    has any below the line. For a claim of privacy the lower ends are the sound ones.

    Attributes:
        epsilon: ε of the line.
        delta: δ of the line.
        curve: error rates of the best tests against this mechanism, by rising false-alarm rate.
        line: the corners of max(0, 1 − δ − e^ε·x, e^−ε·(1 − δ − x)), from left to right.
        keeps: whether the mechanism is proved to be (ε, δ)-DP: the curve nowhere below the line.
    """

    epsilon: Fraction
    delta: Fraction
    curve: tuple[ErrorRates, ...]
    line: tuple[ErrorRates, ...]
    keeps: bool

    plot = _show.plot
    _repr_html_ = _show.html

    def __repr__(self) -> str:
        promise = f"ε = {exact_text(self.epsilon)}, δ = {exact_text(self.delta)}"
        kept = "kept" if self.keeps else "not proved"
        return f"TradeoffView({len(self.curve)} points; {promise} is {kept})"

    def to_dict(self) -> dict[str, Any]:
        """Plain lists of floats, lower ends rounded down and upper ends up; fit for JSON."""
        return {
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "keeps": self.keeps,
            "curve": _columns(self.curve),
            "line": _columns(self.line),
        }


def tradeoff_points(
    loss: PrivacyLoss,
    *,
    epsilon: Exact,
    delta: Exact = 0,
    false_alarms: Sequence[Exact] | None = None,
) -> TradeoffView:
    r"""Points of the trade-off curve of a privacy loss, with the (ε, δ) line.

    Args:
        loss: the loss between neighbours.
        epsilon: ε ≥ 0 of the line.
        delta: δ in [0, 1) of the line.
        false_alarms: where to look, in [0, 1]; about a hundred places that show corners well at 0
            and 1 if not given.

    Example:
        >>> view = tradeoff_points(PrivacyLoss.gaussian(mu=1), epsilon=1, delta="0.127")
        >>> view.keeps, len(view.curve)
        (True, 99)
        >>> middle = view.curve[49]
        >>> float(middle.false_alarm), round(float(middle.missed_detection), 3)
        (0.5, 0.159)
    """
    level, leak = _check.non_negative(epsilon, "epsilon"), _check.delta(delta)
    alarms = _default_alarms() if false_alarms is None else _checked_alarms(false_alarms)
    directions = [loss.forward] if loss.backward is None else [loss.forward, loss.backward]
    curve = zip(alarms, tradeoff_brackets(directions, alarms), strict=True)
    corners = PiecewiseLinearTradeoff.of_approx(epsilon=level, delta=leak).points
    return TradeoffView(
        epsilon=level,
        delta=leak,
        curve=tuple(ErrorRates(Interval.exactly(alarm), missed) for alarm, missed in curve),
        line=tuple(
            ErrorRates(c.false_alarm.interval(), c.missed_detection.interval()) for c in corners
        ),
        keeps=bool(loss.delta(level).upper <= leak),
    )


def tradeoff_view(
    mechanism: Mechanism[Any, Any],
    *,
    distance: SupportsIndex = 1,
    false_alarms: Sequence[Exact] | None = None,
) -> TradeoffView:
    r"""The trade-off curve of a mechanism, with the line of its own guarantee.

    Args:
        mechanism: any mechanism that promises ε or (ε, δ).
        distance: how many records the two inputs differ in.
        false_alarms: as for `tradeoff_points`.

    Raises:
        UnsupportedQuery: the mechanism promises something else; use `tradeoff_points`.

    Example:
        >>> from leastnoise.mechanisms import RandomizedResponse
        >>> view = tradeoff_view(RandomizedResponse(epsilon=1, categories=2), false_alarms=["0.1"])
        >>> [round(float(point.missed_detection), 4) for point in view.curve]
        [0.7282]
    """
    match mechanism.guarantee:
        case PureDP(epsilon=epsilon):
            delta = Fraction(0)
        case ApproxDP(epsilon=epsilon, delta=delta):
            pass
        case other:
            raise UnsupportedQuery(
                "a mechanism must promise ε or (ε, δ) to have a line of its own; this one promises "
                f"{other}. Use tradeoff_points(mechanism.privacy(), epsilon=..., delta=...)."
            )
    return tradeoff_points(
        mechanism.privacy(distance), epsilon=epsilon, delta=delta, false_alarms=false_alarms
    )


def _default_alarms() -> list[Fraction]:
    inner = [Fraction(round(2**40 / (1 + math.exp(-logit))), 2**40) for logit in _LOGITS]
    return [Fraction(0), *inner, Fraction(1)]


def _checked_alarms(alarms: Sequence[Exact]) -> list[Fraction]:
    return sorted({_check.probability(alarm, "a false alarm rate") for alarm in alarms})


def _columns(points: Sequence[ErrorRates]) -> dict[str, list[float]]:
    return {
        "false_alarm_lower": [_down(point.false_alarm.lower) for point in points],
        "false_alarm_upper": [float_above(point.false_alarm.upper) for point in points],
        "missed_detection_lower": [_down(point.missed_detection.lower) for point in points],
        "missed_detection_upper": [float_above(point.missed_detection.upper) for point in points],
    }


def _down(value: Endpoint) -> float:
    near = float(value)
    return near if near <= value else math.nextafter(near, -math.inf)
