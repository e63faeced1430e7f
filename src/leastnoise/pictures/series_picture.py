"""Running totals over time, each with the band in which the truth lies."""

from math import isfinite, nan

from leastnoise.pictures.lines import Row, axis, series
from leastnoise.pictures.names import cut, free
from leastnoise.pictures.palette import FAINT_INK
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.release.result.shown_row import shown_key, shown_row
from leastnoise.release.result.step_series import StepSeries

MOST_GROUPS = 5  # more bands cover each other
_LONGEST = 40
_BAND = "line: running total; band: 95 % interval for what the noise has changed, at each step"


def series_picture(told: StepSeries) -> Picture:
    """The running totals of the first groups, over all steps that were released."""
    names = _names(told)
    rows = [
        row for row in _rows(told, names) if row["series"] in list(names.values())[:MOST_GROUPS]
    ]
    shown = list(dict.fromkeys(row["series"] for row in rows))
    look = series(shown) if len(shown) > 1 else {}
    time = {"field": "step", "type": "temporal", "title": told.columns[0]}
    value = axis("value", "total to date", scale={"zero": True})
    low = {**value, "field": "lower"}
    colour = {"color": look["color"]} if look else {}
    spec = {
        "width": 520,
        "height": 280,
        "data": {"values": rows},
        "layer": [
            {"mark": {"type": "area", "opacity": 0.25, **({} if look else {"color": FAINT_INK})},
             "encoding": {"x": time, "y": low, "y2": {"field": "upper"}, **colour}},
            {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
             "encoding": {"x": time, "y": value, **look}},
        ],
    }  # fmt: skip
    left = len(names) - len(shown)
    subtitle = [_BAND, *([f"the first {len(shown)} of {len(names):,} groups"] if left else [])]
    return drawn(spec, title=told.name, subtitle=subtitle, words=_words(told))


def _names(told: StepSeries) -> dict[tuple[object, ...], str]:
    """A label for each group, no two the same."""
    found: dict[tuple[object, ...], str] = {}
    for row in told.rows:
        key = tuple(row[1:])
        if key not in found:
            words = cut(" · ".join(map(shown_key, key)) or "all", _LONGEST)
            found[key] = free(words, set(found.values()))
    return found


def _rows(told: StepSeries, names: dict[tuple[object, ...], str]) -> list[Row]:
    numbers = zip(told.rows, told.values, told.lower, told.upper, strict=True)
    return [
        {
            "step": str(row[0]),
            "series": names[tuple(row[1:])],
            "value": float(value),
            "lower": float(low) if isfinite(low) else None,
            "upper": float(high) if isfinite(high) else None,
        }
        for row, value, low, high in numbers
    ]


def _words(told: StepSeries) -> str:
    if not len(told):
        return f"{told.name}: no step was released yet."
    steps = len({row[0] for row in told.rows})
    value, low, high = (each[-1].item() for each in (told.values, told.lower, told.upper))
    row = shown_row((), (value, nan, low, high))
    groups = len(told.rows) // steps
    last = f"the last total is {row.value}, with a 95 % interval of {row.interval}"
    whose = "" if groups == 1 else f" of {groups:,} groups; of the last one"
    return f"{told.name}: running totals of {steps:,} steps{whose}, {last}."
