"""Privacy and error of groups of every size."""

from leastnoise.groupwise.group_curve import GroupCurve
from leastnoise.pictures.lines import Row, axis, log_axis
from leastnoise.pictures.names import number
from leastnoise.pictures.palette import BLUE, VERMILION
from leastnoise.pictures.picture import Picture, drawn


def group_picture(curve: GroupCurve) -> Picture:
    """v(x) and the relative error, against the size x of a group."""
    columns = curve.columns()
    rows: list[Row] = [
        {"size": float(size), "v": float(v), "error": float(error / size)}
        for size, v, error in zip(columns["size"], columns["v"], columns["error"], strict=True)
        if size
    ]
    sizes, losses = [row["size"] for row in rows], [row["v"] for row in rows if row["v"] > 0]
    x = log_axis("size", "size of the group (records)", min(sizes), max(sizes), "~s")
    v = log_axis("v", "privacy loss v(x) (ρ of zCDP)", min(losses) / 2, 2 * max(losses))
    top = 1.1 * max(row["error"] for row in rows)
    error = axis("error", "expected error / size", axis={"format": "~%"},
                 scale={"domain": [0, top], "nice": False})  # fmt: skip
    panels = [
        _panel([row for row in rows if row["v"] > 0], x, v, BLUE,
               "The larger the group, the better it is protected"),
        _panel(rows, x, error, VERMILION,
               "The error relative to the size"),
    ]  # fmt: skip
    words = (
        f"In a group of {number(rows[0]['size'])} one record loses v = {rows[0]['v']:.3g}, in a "
        f"group of {number(rows[-1]['size'])} it loses {rows[-1]['v']:.3g}. The expected error "
        f"relative to the size goes from {100 * rows[0]['error']:.3g} % to "
        f"{100 * rows[-1]['error']:.3g} %."
    )
    return drawn({"hconcat": panels}, title="Counts with a relative error", words=words)


def _panel(rows: list[Row], x: Row, y: Row, colour: str, title: str) -> Row:
    mark = {"type": "line", "color": colour, "strokeWidth": 2.5, "point": {"color": colour}}
    return {
        "title": {"text": title, "fontSize": 12, "fontWeight": "normal"},
        "width": 300,
        "height": 260,
        "data": {"values": rows},
        "mark": mark,
        "encoding": {"x": x, "y": y},
    }
