"""Parts that several pictures are made of."""

from collections.abc import Sequence
from typing import Any

from leastnoise.pictures.palette import DASHES, FAINT_INK, FORBIDDEN, INK, LINES

Row = dict[str, Any]

_TICKS = [m * 10.0**k for k in range(-15, 16) for m in (1, 2, 5)]
_MOST_TICKS = 12  # more labels overlap


def series(names: Sequence[str], *, field: str = "series") -> Row:
    """Colour and dashes of named lines, in this order, with one legend above the picture."""
    legend = {"title": None, "orient": "top", "direction": "vertical", "symbolType": "stroke"}
    ranges: dict[str, list[Any]] = {
        "color": list(LINES),
        "strokeDash": [list(dash) for dash in DASHES],
    }
    return {
        channel: {
            "field": field,
            "type": "nominal",
            "scale": {"domain": list(names), "range": each[: len(names)]},
            "legend": legend,
        }
        for channel, each in ranges.items()
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
    return _placed(x, y, {**look, "baseline": "middle", **mark})


def point(x: Any, y: Any, *, colour: str = INK, **mark: Any) -> Row:
    """A dot at a place of the picture."""
    look = {"type": "point", "filled": True, "size": 90, "color": colour, "opacity": 1}
    return _placed(x, y, look | mark)


def _placed(x: Any, y: Any, mark: Row) -> Row:
    places = {each: {"field": each, "type": "quantitative"} for each in ("x", "y")}
    return {"data": {"values": [{"x": x, "y": y}]}, "mark": mark, "encoding": places}


def above_forbidden(x: Row, y: Row, *, bounds: list[Row], lines: list[Row], sign: str) -> list[Row]:
    """Named lines over the ground that is proved to be impossible, both on axes of powers.

    Args:
        x: an axis made by `log_axis`.
        y: likewise; the ground begins at its lower end.
        bounds: the upper edge of the impossible; may be empty.
        lines: with the name of each in "series".
        sign: what is written on the ground.
    """
    names = list(dict.fromkeys(row["series"] for row in lines))
    drawn = {
        "data": {"values": lines},
        "mark": {"type": "line", "strokeWidth": 2.5, "clip": True},
        "encoding": {"x": x, "y": y, **series(names)},
    }
    floor = y["scale"]["domain"][0]
    if not bounds:
        return [drawn]
    ground = {
        "data": {"values": [row | {"floor": floor} for row in bounds]},
        "mark": {"type": "area", "color": FORBIDDEN, "clip": True},
        "encoding": {"x": x, "y": y, "y2": {"field": "floor"}},
    }
    at = bounds[len(bounds) // 3]
    place = at[x["field"]], (max(at[y["field"]], floor) * floor**2) ** (1 / 3)
    return [ground, drawn, label(sign, *place, align="center", fontStyle="italic")]
