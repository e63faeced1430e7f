"""What an attacker can find out: detections against false alarms."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import exp

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise.numeric.interval import Interval
from leastnoise.pictures.lines import Row, axis, label, point, series
from leastnoise.pictures.names import small
from leastnoise.pictures.palette import FORBIDDEN, GREY
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.planning.attack_risk import attack_risk, percent
from leastnoise.planning.tradeoff_view import TradeoffView, tradeoff_points
from leastnoise.privacy.guarantee import ApproxDP, Guarantee, PureDP, exact_text
from leastnoise.privacy.loss import PrivacyLoss

_ONE_PERCENT = Fraction(1, 100)  # the false alarms of the sentence
_ALARMS = sorted({Fraction(round(10**4 / (1 + exp(-n / 9))), 10**4) for n in range(-72, 73)})
_ALL_ALARMS = [Fraction(0), *(a for a in _ALARMS if 0 < a < 1), Fraction(1)]
_TITLE = "What an attacker can find out"

Curve = Sequence[tuple[float, float]]
"""False alarms and detections, both from 0 to 1."""


def loss_picture(
    loss: PrivacyLoss, *, epsilon: Exact | None = None, delta: Exact | None = None
) -> Picture:
    """The best attack on one mechanism; with ε and δ also the best that the promise allows."""
    if (epsilon is None) != (delta is None):
        raise _check.refuse(
            "`epsilon` and `delta` must be given together",
            f"epsilon={_check.shown(epsilon)}, delta={_check.shown(delta)}",
            "delta=0 is a choice too.",
        )
    alarms = sorted({*_ALL_ALARMS, _ONE_PERCENT})
    if epsilon is None or delta is None:
        view = tradeoff_points(loss, epsilon=0, delta=0, false_alarms=alarms)
        return _drawn({"Best attack on this mechanism": _caught(view)}, _at_one(view))
    view = tradeoff_points(loss, epsilon=epsilon, delta=delta, false_alarms=alarms)
    return view_picture(view)


def view_picture(view: TradeoffView) -> Picture:
    """The best attack on a mechanism, and the best that its promise allows."""
    promise = small(f"ε = {exact_text(view.epsilon)}, δ = {exact_text(view.delta)}")
    lines = {
        "Best attack on this mechanism": _caught(view),
        f"Most that {promise} allows" + ("" if view.keeps else " (exceeded)"): _allowed(view),
    }
    risk = attack_risk(ApproxDP(epsilon=view.epsilon, delta=view.delta))
    most = _at_one(view)
    if view.keeps:
        most = min(most, risk.caught(_ONE_PERCENT), key=lambda bound: bound.upper)
    return _drawn(lines, most)


def promise_picture(promise: Guarantee) -> Picture:
    """The most that a promise lets any attacker find out."""
    risk = attack_risk(promise)
    alarms = sorted({*_ALL_ALARMS, *_corner(promise)})
    curve = [(float(alarm), float(risk.caught(alarm).upper)) for alarm in alarms]
    words = " ".join(risk.words())
    return _drawn(
        {f"Most that {_symbols(promise)} allows": curve}, risk.caught(_ONE_PERCENT), words
    )


def _corner(promise: Guarantee) -> list[Fraction]:
    """Where the line of an (ε, δ) promise bends."""
    if not isinstance(promise, PureDP | ApproxDP):
        return []
    delta = promise.delta if isinstance(promise, ApproxDP) else Fraction(0)
    bend = (1 - float(delta)) / (1 + exp(min(float(promise.epsilon), 700.0)))
    return [Fraction(bend), 1 - delta]


def _symbols(promise: Guarantee) -> str:
    return small(str(promise).partition(" with ")[2] or str(promise))


def _caught(view: TradeoffView) -> Curve:
    return [
        (float(point.false_alarm.upper), 1 - float(point.missed_detection.lower))
        for point in view.curve
    ]


def _allowed(view: TradeoffView) -> Curve:
    inner = [(float(c.false_alarm), 1 - float(c.missed_detection)) for c in view.line]
    return [*inner, (1.0, 1.0)]


def _at_one(view: TradeoffView) -> Interval:
    """Detections at 1 % false alarms: those at the next place where the curve is known."""
    later = [rates for rates in view.curve if rates.false_alarm.lower >= _ONE_PERCENT]
    missed = later[0].missed_detection if later else Interval.exactly(0)
    return Interval(1 - missed.upper, 1 - missed.lower)


def _drawn(lines: dict[str, Curve], most: Interval, words: str = "") -> Picture:
    rows: list[Row] = [
        {"alarm": alarm, "caught": caught, "series": name}
        for name, curve in lines.items()
        for alarm, caught in curve
    ]
    sentence = f"An attacker who accepts 1 % false alarms catches at most {percent(most)}."
    outer = [row | {"top": 1.0} for row in rows if row["series"] == next(iter(lines))]
    percents = {"domain": [0, 1], "nice": False}, {"format": ".0%"}
    x = axis("alarm", "false alarms: innocent people who are accused", scale=percents[0],
             axis=percents[1])  # fmt: skip
    y = axis("caught", "detections: people in the data who are found", scale=percents[0],
             axis=percents[1])  # fmt: skip
    layers: list[Row] = [
        {"data": {"values": outer}, "mark": {"type": "area", "color": FORBIDDEN},
         "encoding": {"x": x, "y": y, "y2": {"field": "top"}}},
        {"data": {"values": [{"alarm": 0, "caught": 0}, {"alarm": 1, "caught": 1}]},
         "mark": {"type": "line", "color": GREY, "strokeWidth": 1, "strokeDash": [3, 3]},
         "encoding": {"x": x, "y": y}},
        {"data": {"values": rows}, "mark": {"type": "line", "strokeWidth": 2.5},
         "encoding": {"x": x, "y": y, **series(list(lines))}},
        point(0.01, float(most.upper)),
        *_labels(),
    ]  # fmt: skip
    return drawn(
        {"width": 380, "height": 380, "layer": layers},
        title=_TITLE,
        subtitle=sentence,
        words=words or f"{_TITLE}. {sentence}",
    )


def _labels() -> Iterable[Row]:
    yield label("impossible for any attacker", 0.03, 0.96, fontStyle="italic")
    yield label("pure guessing", 0.66, 0.62, angle=315, align="center", baseline="top")
