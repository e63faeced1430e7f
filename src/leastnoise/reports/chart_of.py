"""Which chart shows a question: bars, points, columns, lines, a band, a box, or heat."""

import math
from collections.abc import Callable, Sequence
from datetime import date
from itertools import combinations

from leastnoise.people import said_error
from leastnoise.pictures.table_words import LENGTHS, has_order, is_time
from leastnoise.reports.charts.box import box
from leastnoise.reports.charts.frame import Axis
from leastnoise.reports.charts.heat import heat, swatches
from leastnoise.reports.charts.rows import Mark, row_chart, strip
from leastnoise.reports.charts.upright import Series, columns, edge_text, lines
from leastnoise.reports.markup import Markup, element, joined
from leastnoise.reports.view import QuestionView

MOST_BARS = 12
"""Of more keys the ten largest are drawn."""
_LARGEST = 10
_MOST_LINES = 5
_MOST_SIDE = 40  # rows or columns of a heat table


def chart_of(view: QuestionView) -> Markup:
    """The figure of a question; empty if no chart would help."""
    table = view.table
    if not len(table) or table.dated or not all(map(math.isfinite, table.values.tolist())):
        return Markup("")
    return _chosen(view)(view)


def _chosen(view: QuestionView) -> Callable[[QuestionView], Markup]:
    """How it is drawn."""
    table, keys = view.table, len(view.table.columns)
    if table.is_band:
        return _band
    special = {("Histogram", 2): _columns, ("ColumnQuantiles", 1): _box}
    if (view.kind, keys) in special:
        return special[view.kind, keys]
    if view.kind == "Marginals" and keys > 1:
        return _pairs
    if keys == 1 and is_time(view.table, 0):
        return _times
    return {0: _strip, 2: _two_keys}.get(keys, _rows)


def _marks(view: QuestionView) -> list[Mark]:
    table = view.table
    short = set()
    if view.is_cut_more_than_noise:
        short = {place for flag in table.flags for place in flag.rows if flag.kind.value == "cut"}
    return [
        Mark(label, value, _within(value, half, low, high), _ends(value, low, high), place in short)
        for place, (label, value, half, low, high) in enumerate(
            zip(
                view.labels(),
                map(float, table.values.tolist()),
                view.half.tolist(),
                table.lower.tolist(),
                table.upper.tolist(),
                strict=True,
            )
        )
    ]


def _ends(value: float, low: float, high: float) -> tuple[float, float]:
    return (low if math.isfinite(low) else value, high if math.isfinite(high) else value)


def _within(value: float, half: float, low: float, high: float) -> tuple[float, float]:
    """The interval for the noise alone: inside of the whole interval."""
    if not math.isfinite(half):
        return value, value
    ends = _ends(value, low, high)
    if math.isclose(2 * half, ends[1] - ends[0], rel_tol=1e-6):
        return ends
    return max(value - half, min(ends[0], value)), min(value + half, max(ends[1], value))


def _figure(view: QuestionView, chart: Markup, axis: str, *, cut: bool = True) -> Markup:
    return element("figure", element("p", axis, class_="axis"), chart, _legend(view, cut=cut))


def _legend(view: QuestionView, *, cut: bool) -> Markup:
    parts = [Markup('<span><i class="key-noise"></i> noise, 95 %</span>')]
    if cut and view.cut is not None and view.cut.held:
        parts.append(Markup('<span><i class="key-cut"></i> room for what the limits cut</span>'))
    return element("p", joined(parts), class_="legend", aria_hidden="true")


def _axis_words(view: QuestionView, axis: Axis | None = None, more: str = "") -> str:
    said = f"{view.head}{more}"
    off = axis is not None and not axis.begins_at_0
    return f"{said}; the axis does not begin at 0" if off else said


def finding(view: QuestionView) -> str:
    """The main finding in one sentence, for those who cannot see a chart."""
    if len(view.table) == 1:
        return f"{view.title}: {view.value_texts[0]}, between {view.interval_texts[0]}."
    order = sorted(range(len(view.table)), key=lambda i: float(view.table.values[i]))
    low, high = order[0], order[-1]
    labels = view.labels()
    return (
        f"{view.title}: largest for {labels[high]}, {view.value_texts[high]}; "
        f"smallest for {labels[low]}, {view.value_texts[low]}."
    )


def _strip(view: QuestionView) -> Markup:
    chart, axis = strip(_marks(view)[0], label=finding(view))
    unit = f" {view.measure}" if view.measure else ""
    said = element(
        "p",
        element("strong", f"{view.value_texts[0]}{unit}"),
        f" between {view.interval_texts[0].replace(' – ', ' and ').replace(' to ', ' and ')}",
        class_="single",
    )
    return element("div", said, _figure(view, chart, _axis_words(view, axis)), class_="one")


def _rows(view: QuestionView) -> Markup:
    marks = _marks(view)
    ordered = has_order(view.table)
    lengths = view.kind in LENGTHS
    if not ordered:
        marks = sorted(marks, key=lambda mark: -mark.value)
    more = ""
    if len(marks) > MOST_BARS:
        more = f", the ten largest of {len(marks):,}"
        marks = sorted(marks, key=lambda mark: -mark.value)[:_LARGEST]
    chart, axis = row_chart(marks, lengths=lengths, label=finding(view))
    return _figure(view, chart, _axis_words(view, axis, more))


def _columns(view: QuestionView) -> Markup:
    rows = view.table.rows
    ends = [*(row[0] for row in rows), rows[-1][1]]
    edges = [float(_number(end)) for end in ends]
    chart = columns(_marks(view), edges, [edge_text(end) for end in ends], label=finding(view))
    name = view.table.columns[0].removesuffix("_from")
    return _figure(view, chart, f"{_axis_words(view)} by {name}")


def _number(end: object) -> float:
    return float(end.toordinal()) if isinstance(end, date) else float(end)  # type: ignore[arg-type]


def _box(view: QuestionView) -> Markup:
    chart, axis = box(_marks(view), label=_quantile_words(view))
    return _figure(view, chart, _axis_words(view, axis), cut=False)


def _quantile_words(view: QuestionView) -> str:
    parts = zip(view.table.rows, view.value_texts, strict=True)
    told = ", ".join(f"{100 * float(key[0]):g} % below {said}" for key, said in parts)  # type: ignore[arg-type]
    return f"{view.title}: {told}."


def _even(count: int) -> list[float]:
    """Places at equal distances."""
    return [round(100 * (n + 0.5) / count, 3) for n in range(count)]


def _times(view: QuestionView) -> Markup:
    marks = dict(zip((row[0] for row in view.table.rows), _marks(view), strict=True))
    keys = sorted(marks, key=str)
    chart, axis = lines(
        [Series("", [marks[key] for key in keys])],
        _even(len(keys)),
        [str(key) for key in keys],
        label=finding(view),
    )
    return _band_figure(view, chart, _axis_words(view, axis), "number and its 95 % band of noise")


def _band_figure(view: QuestionView, chart: Markup, axis: str, said: str) -> Markup:
    key = f'<span><i class="key-band"></i> {said}</span>'
    if view.cut is not None and view.cut.held:
        key += '<span><i class="key-cutband"></i> room for what the limits cut</span>'
    legend = element("p", Markup(key), class_="legend", aria_hidden="true")
    return element("figure", element("p", axis, class_="axis"), chart, legend)


def _band(view: QuestionView) -> Markup:
    """A distribution function, of each group if they are few."""
    groups = list(dict.fromkeys(row[:-1] for row in view.table.rows))
    if len(groups) > _MOST_LINES:
        return Markup("")
    marks, rows = _marks(view), view.table.rows
    ends = sorted(dict.fromkeys(row[-1] for row in rows), key=_number)
    places = [_number(end) for end in ends]
    reach = places[-1] - places[0] or 1.0
    series = [
        Series(
            " · ".join(map(str, group)),
            [mark for row, mark in zip(rows, marks, strict=True) if row[:-1] == group],
        )
        for group in groups
    ]
    if any(len(each.marks) != len(ends) for each in series):
        return Markup("")
    chart, _ = lines(
        series,
        [round(100 * (place - places[0]) / reach, 3) for place in places],
        [edge_text(end) for end in ends],
        label=finding(view),
        steps=True,
        share=True,
    )
    name = view.table.columns[-1].removesuffix("_below")
    return _band_figure(
        view, chart, f"Share below, by {name}", "share, and the band that holds all of it with 95 %"
    )


def _two_keys(view: QuestionView) -> Markup:
    """Lines if one key is time and the other has few values, else heat."""
    rows = view.table.rows
    for time, other in ((0, 1), (1, 0)):
        names = list(dict.fromkeys(row[other] for row in rows))
        if is_time(view.table, time) and len(names) <= _MOST_LINES:
            found = _time_lines(view, time, names)
            if found:
                return found
    first, second = (list(dict.fromkeys(row[place] for row in rows)) for place in (0, 1))
    if max(len(first), len(second)) > _MOST_SIDE or view.kind not in LENGTHS:
        return _rows(view)
    return _heat(view, first, second)


def _time_lines(view: QuestionView, time: int, names: Sequence[object]) -> Markup:
    by_key = dict(zip(view.table.rows, _marks(view), strict=True))
    keys = sorted(dict.fromkeys(row[time] for row in view.table.rows), key=str)
    texts = dict(zip(view.table.rows, view.key_texts, strict=True))
    series = []
    for name in names:
        rows = [(key, name) if not time else (name, key) for key in keys]
        if not all(row in by_key for row in rows):
            return Markup("")
        label = texts[rows[0]][1 - time]  # type: ignore[index]
        series.append(Series(label, [by_key[row] for row in rows]))  # type: ignore[index]
    chart, axis = lines(series, _even(len(keys)), [str(key) for key in keys], label=finding(view))
    return _band_figure(view, chart, _axis_words(view, axis), "number and its 95 % band of noise")


def _heat(view: QuestionView, first: Sequence[object], second: Sequence[object]) -> Markup:
    places = {row: place for place, row in enumerate(view.table.rows)}
    texts = dict(zip(view.table.rows, view.key_texts, strict=True))
    names = [{row[side]: texts[row][side] for row in view.table.rows} for side in (0, 1)]

    def cell(i: int, j: int) -> tuple[float, str, str] | None:
        place = places.get((first[i], second[j]))  # type: ignore[arg-type]
        return None if place is None else _cell(view, place)

    most = max(0.0, float(view.table.values.max()))
    heads = view.key_heads
    table = heat(
        [names[0][key] for key in first],  # type: ignore[index]
        [names[1][key] for key in second],  # type: ignore[index]
        cell,
        caption=finding(view),
        most=most,
        names=(heads[0], heads[1]),
    )
    return element("div", table, swatches(most, view.head.lower()), class_="heated")


def _cell(view: QuestionView, place: int) -> tuple[float, str, str]:
    note = f"{said_error(float(view.half[place]), whole=view.whole)} · {view.grades[place]}"
    return float(view.table.values[place]), view.value_texts[place], note


def _pairs(view: QuestionView) -> Markup:
    """Marginals: a small table for each pair of columns; bars where they are one at a time."""
    rows, count = view.table.rows, len(view.table.columns)
    asked = {tuple(i for i, part in enumerate(row) if part is not None) for row in rows}
    if any(len(each) != 2 for each in asked):
        return _rows(view) if len(rows) <= MOST_BARS else Markup("")
    tables = [_pair(view, pair) for pair in combinations(range(count), 2) if pair in asked]
    most = max(0.0, float(view.table.values.max()))
    return element(
        "div",
        element("div", *tables, class_="pairs"),
        swatches(most, f"{view.head.lower()}; below each its noise and its grade"),
        class_="heated",
    )


def _pair(view: QuestionView, pair: tuple[int, int]) -> Markup:
    """The table of two columns."""
    rows, texts = view.table.rows, view.key_texts
    mine = {
        (rows[place][pair[0]], rows[place][pair[1]]): place
        for place in range(len(rows))
        if all(rows[place][side] is not None for side in pair)
    }
    first, second = (
        {key[side]: texts[place][pair[side]] for key, place in mine.items()} for side in (0, 1)
    )
    across, down = list(second), list(first)

    def cell(i: int, j: int) -> tuple[float, str, str] | None:
        place = mine.get((down[i], across[j]))
        return None if place is None else _cell(view, place)

    names = view.key_heads[pair[0]], view.key_heads[pair[1]]
    return heat(
        list(first.values()),
        list(second.values()),
        cell,
        caption=f"{view.title}: {names[0]} and {names[1]}",
        most=max(0.0, float(view.table.values.max())),
        names=names,
    )
