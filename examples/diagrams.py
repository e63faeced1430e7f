"""Two pictures of the tutorials: how tables lead to people, and what one noise for a year saves."""

import tempfile
from pathlib import Path

import leastnoise as ln
from leastnoise.release.over_time.schedule_preview import SchedulePreview

_STYLE = (
    "<style>text{font-family:'Liberation Sans',Arial,sans-serif;fill:#15202b}"
    ".soft{fill:#4b5867}.box,.arrow{fill:none;stroke:#6f7b89;stroke-width:1.5}"
    ".data{fill:#0b5fa5}.apart{fill:#6f7b89}"
    "@media(prefers-color-scheme:dark){text{fill:#e8edf2}.soft{fill:#aab6c3}.data{fill:#74b6f2}"
    ".box,.arrow{stroke:#8593a2}.apart{fill:#8593a2}}</style>"
)
_TABLES = (  # name, what it holds, columns, left end
    ("cities", "public: the same for all", ("city", "region"), 10),
    ("visits", "rows of somebody", ("patient_id", "city", "cost"), 240),
    ("patients", "the people", ("id", "sex", "age"), 470),
)
_DAYS = 90


def joined_tables() -> str:
    """Each row of visits belongs to one patient; cities belong to nobody."""
    parts = []
    for name, below, columns, left in _TABLES:
        high = 62 + 22 * len(columns)
        parts.append(f'<rect class="box" x="{left}" y="10" width="170" height="{high}" rx="8"/>')
        parts.append(_text(left + 14, 34, name, 16, font_weight="700"))
        parts.append(_text(left + 14, 54, below, 13, class_="soft"))
        parts += [_text(left + 14, 80 + 22 * n, column) for n, column in enumerate(columns)]
    for start, end, said in ((410, 470, "owner"), (240, 180, "looked up")):
        step = 10 if end > start else -10
        middle = (start + end) / 2
        parts.append(f'<path class="arrow" d="M{start} 76H{end}m{-step} -6l{step} 6l{-step} 6"/>')
        parts.append(_text(middle, 66, said, 12, class_="soft", text_anchor="middle"))
    return _svg(
        650,
        145,
        parts,
        "visits refer to patients, their owners, and look up cities, which are public",
    )


def every_day() -> str:
    """The standard error of a day, a week, a month and the total: one noise, or noise apart."""
    told = _previewed()
    parts = []
    for row, (of, said) in enumerate(
        (("a day", "a day"), ("7 days", "a week"), ("a month", "a month"),
         ("all steps, to 2026-03-31", "all 90 days"))
    ):  # fmt: skip
        one = told.of("visits", of)
        top = 44 + 46 * row
        parts.append(_text(86, top + 19, said, text_anchor="end"))
        for place, look, error in ((0, "data", one.standard_error), (16, "apart", one.naive)):
            wide = 10 * error
            parts.append(
                f'<rect class="{look}" x="96" y="{top + place}" width="{wide:.1f}" height="14"/>'
            )
            parts.append(_text(102 + wide, top + place + 12, f"{error:.0f}", 12))
    parts.append('<rect class="data" x="96" y="10" width="14" height="14"/>')
    parts.append(_text(116, 22, "one noise for all days", 13))
    parts.append('<rect class="apart" x="290" y="10" width="14" height="14"/>')
    parts.append(_text(310, 22, "each day with noise of its own", 13))
    parts.append(
        _text(96, 240, "standard error, in visits; ε = 1, δ = 10⁻⁶ in all", 13, class_="soft")
    )
    return _svg(
        560, 250, parts, "one noise for all days is worse for a day and better for the rest"
    )


def _previewed() -> SchedulePreview:
    """The plan of the tutorial, with one of its questions; no row of the table is read."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "visits.csv"
        place.write_text("person,day\n", "utf-8")
        types = {"person": "integer", "day": "date"}
        table = ln.read(place, unit="person", types=types, dataset="visits")
        return (
            ln.plan(table, max_groups=1, max_rows=1)
            .count(name="visits")
            .every("day", start="2026-01-01", steps=_DAYS, contributes=1, column="day")
            .preview(ln.ApproxDP(epsilon=1, delta="1e-6"))
        )


def _text(x: float, y: float, words: str, size: int = 14, **style: str) -> str:
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{value}"' for key, value in style.items()
    )
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{said}>{words}</text>'


def _svg(wide: int, high: int, parts: list[str], says: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" '
        f'height="{high}" role="img" aria-label="{says}">{_STYLE}{"".join(parts)}</svg>\n'
    )
