"""How the page looks: on a screen by day and by night, on a phone, and on paper."""

from importlib.resources import files

from leastnoise.pictures.tokens import DARK, LIGHT, MONO, SANS, variables
from leastnoise.reports.charts.heat import SHADES
from leastnoise.reports.markup import Markup

_DARKEST, _DARKEST_AT_NIGHT = 62, 50  # percent of colour: ink on it stays readable
_PALEST = 6


def _shades(most: int) -> str:
    """The grounds of heat tables."""
    steps = [_PALEST + (most - _PALEST) * n / SHADES for n in range(1, SHADES + 1)]
    return "".join(
        f".h{n}{{background:color-mix(in srgb,var(--data) {step:.0f}%,var(--paper))}}"
        for n, step in enumerate(steps, 1)
    )


_SHEET = files("leastnoise.reports").joinpath("page.css").read_text("utf-8")
_EDGE = "font:9pt sans-serif;color:#4b5867"
_STYLE = (
    f":root{{color-scheme:light dark;{variables(LIGHT)};font:100%/1.5 {SANS}}}"
    f"code,pre{{font-family:{MONO}}}{_shades(_DARKEST)}"
    f"@media screen and (prefers-color-scheme:dark){{:root{{{variables(DARK)}}}"
    f"{_shades(_DARKEST_AT_NIGHT)}}}"
    f"{_SHEET}"
)


def style(footer: str) -> Markup:
    """The style sheet of a page; `footer` is printed on each sheet of paper."""
    return Markup(
        f"{_STYLE}@page{{size:A4;margin:16mm 16mm 20mm;"
        f"@bottom-left{{content:{_quoted(footer)};{_EDGE}}}"
        f'@bottom-right{{content:counter(page) " of " counter(pages);{_EDGE}}}}}'
    )


def _quoted(words: str) -> str:
    """A text of CSS in which nothing ends it, whatever a name holds."""
    safe = (
        each if each.isalnum() or each in " .,:=·()" else f"\\{ord(each):06x}" for each in words
    )
    return f'"{"".join(safe)}"'
