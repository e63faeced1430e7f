"""What an audit found: its events against the promise, or its evidence as it grew."""

from math import log10

from leastnoise.auditing.audit_report import Audit
from leastnoise.pictures.lines import Row, axis
from leastnoise.pictures.names import cut
from leastnoise.pictures.palette import BLUE, GREY, INK, VERMILION
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.guarantee import exact_text

_MOST_EVENTS = 20  # more bars cannot be told apart
_LONGEST = 48  # letters beside a bar


def audit_picture(audit: Audit) -> Picture:
    """The evidence for and against a promise."""
    title = "A violation was found" if audit.violated else "No violation was found"
    body = _growth(audit) if audit.wealth else _events(audit)
    what = "the evidence as it grew" if audit.wealth else "one bar for each event that was tested"
    drawn_from = f"{audit.samples:,} outputs, confidence {exact_text(audit.confidence)}"
    subtitle = [drawn_from, what]
    return drawn(body, title=title, subtitle=subtitle, words=f"{title}. {audit}.")


def _events(audit: Audit) -> Row:
    """For each event, the ε that it proves to be needed."""
    columns = audit.evidence()
    promised = float(audit.epsilon)
    rows: list[Row] = [
        {
            "event": f"{n}|{cut(str(event), _LONGEST)}",
            "shown": float(shown),
            "over": shown > promised,
        }
        for n, (event, shown) in enumerate(
            zip(columns["event"], columns["epsilon_lower"].tolist(), strict=True)
        )
    ][:_MOST_EVENTS]
    colour = {"condition": {"test": "datum.over", "value": VERMILION}, "value": BLUE}
    place = {
        "field": "event",
        "type": "ordinal",
        "sort": [row["event"] for row in rows],
        "title": None,
        "axis": {"labelExpr": "slice(datum.label, indexof(datum.label, '|') + 1)",
                 "labelLimit": 320},
    }  # fmt: skip
    bars = {
        "data": {"values": rows},
        "mark": {"type": "bar"},
        "encoding": {
            "y": place,
            "x": axis("shown", "ε that the outputs prove to be needed (at least)"),
            "color": colour,
        },
    }
    return {"width": 380, "height": {"step": 24}, "layer": [bars, *_rule("x", promised)]}


def _growth(audit: Audit) -> Row:
    """The evidence against the promise, output by output, up to where it convicts."""
    columns = audit.evidence()
    rows = [
        {"samples": int(count), "evidence": float(level)}
        for count, level in zip(columns["samples"], columns["log10_wealth"], strict=True)
    ]
    enough = -log10(float(1 - audit.confidence))
    line = {
        "data": {"values": rows},
        "mark": {"type": "line", "color": BLUE, "strokeWidth": 2.5, "point": {"color": BLUE}},
        "encoding": {
            "x": axis("samples", "outputs drawn", scale={"zero": False}),
            "y": axis("evidence", "evidence against the promise (powers of ten)"),
        },
    }
    return {"width": 460, "height": 280, "layer": [line, *_rule("y", enough)]}


def _rule(channel: str, level: float) -> list[Row]:
    """The line that must not be crossed, with its name."""
    field = "shown" if channel == "x" else "evidence"
    rule: Row = {
        "data": {"values": [{field: level}]},
        "mark": {"type": "rule", "color": INK, "strokeWidth": 2, "strokeDash": [7, 3]},
        "encoding": {channel: {"field": field, "type": "quantitative"}},
    }
    name = "promised" if channel == "x" else "enough to convict"
    text: Row = {
        "data": {"values": [{field: level}]},
        "mark": {"type": "text", "text": name, "align": "left", "color": GREY, "dx": 5,
                 "fontSize": 12, **({"y": -6} if channel == "x" else {"x": 4, "dy": -8})},
        "encoding": {channel: {"field": field, "type": "quantitative"}},
    }  # fmt: skip
    return [rule, text]
