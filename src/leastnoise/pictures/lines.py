"""Parts that several pictures are made of."""

from collections.abc import Sequence
from typing import Any

from leastnoise.pictures.palette import DASHES, FAINT_INK, INK, LINES

Row = dict[str, Any]

_TICKS = [m * 10.0**k for k in range(-15, 16) for m in (1, 2, 5)]
_MOST_TICKS = 12


def series(names: Sequence[str], *, field: str = "series") -> Row:
    """Colour and dashes of named lines, in this order, with one legend above the picture."""
    legend = {"title": None, "orient": "top", "direction": "vertical", "symbolType": "stroke"}
    return {
        "color": {
            "field": field,
            "type": "nominal",
            "scale": {"domain": list(names), "range": list(LINES[: len(names)])},
            "legend": legend,
        },
        "strokeDash": {
            "field": field,
            "type": "nominal",
            "scale": {"domain": list(names), "range": [list(d) for d in DASHES[: len(names)]]},
            "legend": legend,
        },
    }


def axis(field: str, title: str | None, **more: Any) -> Row:
    """A quantity on an axis; `scale` and `axis` may be given."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def log_axis(field: str, title: str, low: float, high: float, style: str = "~g") -> Row:
    """A quantity on an axis of powers, from low to high, with few and round ticks."""
    inside = [tick for tick in _TICKS if low <= tick <= high]
    decades = [tick for tick in inside if f"{tick:e}".startswith("1")]
    ticks = inside if len(inside) <= _MOST_TICKS else decades
    return axis(
        field,
        title,
        scale={"type": "log", "domain": [low, high], "nice": False},
        axis={"values": ticks, "format": style},
    )


def label(
    text: str | Sequence[str], x: Any, y: Any, *, colour: str = FAINT_INK, **mark: Any
) -> Row:
    """Words at a place of the picture."""
    look = {"type": "text", "text": text, "color": colour, "fontSize": 12, "align": "left"}
    return {
        "data": {"values": [{"x": x, "y": y}]},
        "mark": {**look, "baseline": "middle", **mark},
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "y": {"field": "y", "type": "quantitative"},
        },
    }


def point(x: Any, y: Any, *, colour: str = INK, **mark: Any) -> Row:
    """A dot at a place of the picture."""
    return {
        "data": {"values": [{"x": x, "y": y}]},
        "mark": {"type": "point", "filled": True, "size": 90, "color": colour, "opacity": 1} | mark,
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "y": {"field": "y", "type": "quantitative"},
        },
    }
