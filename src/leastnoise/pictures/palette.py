"""Colours and the common look of all pictures.

The colours are told apart by people with any of the common kinds of colour blindness, and stand
out from white by a contrast of at least 3 to 1, text by 4.5 to 1. No picture relies on colour
alone: lines differ in their dashes too, and points in their shapes.
"""

from typing import Any

BLUE, VERMILION, GREEN, PURPLE, OCHRE, GREY = LINES = (
    "#0065A3",
    "#C44E00",
    "#007A5E",
    "#9A3B86",
    "#876400",
    "#4D4D4D",
)
PALE = "#BFD9EA"
BAR = "#5A96CC"
SOFT = "#CFE1F2"
HEAT_INK = "#15202B"
"""Text on pale blue, by day and by night."""
CUT = "#A34700"
"""What limits cut."""
INK = "#1F1F1F"
FAINT_INK = "#555555"
FORBIDDEN = "#E4E4E4"
"""The ground of what is impossible."""

DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [1, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")

GRID = "#EEEEEE"
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

LOOK: dict[str, Any] = {
    "background": "white",
    "font": _FONT,
    "padding": 12,
    "view": {"stroke": None},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 15,
        "subtitleColor": FAINT_INK,
        "subtitleFontSize": 12,
        "subtitlePadding": 5,
        "offset": 12,
    },
    "axis": {
        "labelColor": FAINT_INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": "#8A8A8A",
        "tickColor": "#8A8A8A",
        "titlePadding": 8,
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "labelLimit": 300,
        "symbolStrokeWidth": 2.5,
        "symbolSize": 160,
    },
}

MIDDLING = {BLUE: "#3D8BCB", CUT: "#C9701F", GREY: "#7A7A7A", PURPLE: "#B05A9E"}
"""For those that are too dark on a dark ground, others that stand out from white and from black."""
