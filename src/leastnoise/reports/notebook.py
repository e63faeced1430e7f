"""What a notebook shows of a value: a title, one line of facts, a table, a warning, a sum.

Each output carries its own small style, in light and in dark: by what the system prefers, and by
what the host says of itself. Nothing outside of it is touched.
"""

from collections.abc import Iterable, Sequence
from importlib.resources import files

from leastnoise.people import said_count
from leastnoise.pictures.tokens import DARK, LIGHT, SANS, variables
from leastnoise.reports.markup import Markup, element, joined, text

_MOST_ROWS, _FIRST = 12, 10  # of a longer table the first ones are shown
_DARK_HOSTS = (
    '[data-jp-theme-light="false"] .lnz,.vscode-dark .lnz,.vscode-high-contrast .lnz,'
    '[data-theme="dark"] .lnz,.dark .lnz,.dark-theme .lnz'
)
_LIGHT_HOSTS = '[data-jp-theme-light="true"] .lnz,.vscode-light .lnz,[data-theme="light"] .lnz'
_LOOK = files("leastnoise.reports").joinpath("notebook.css").read_text("utf-8")
_STYLE = (
    f".lnz{{--sans:{SANS};{variables(LIGHT)}}}"
    f"@media (prefers-color-scheme:dark){{.lnz{{{variables(DARK)}}}}}"
    f"{_LIGHT_HOSTS}{{{variables(LIGHT)}}}{_DARK_HOSTS}{{{variables(DARK)}}}{_LOOK}"
)


def panel(
    title: str,
    facts: Iterable[str] = (),
    *contents: str,
    warnings: Iterable[str] = (),
    below: Iterable[str] = (),
) -> str:
    """One output: what is in it stands in this order."""
    told = " · ".join(fact for fact in facts if fact)
    parts = [
        element("p", title, class_="t"),
        element("p", told, class_="f") if told else Markup(""),
        *contents,
        *(element("p", f"▲ {each}", class_="w") for each in warnings),
        *(element("p", each, class_="b") for each in below),
    ]
    return str(element("div", element("style", Markup(_STYLE)), joined(parts), class_="lnz"))


def rows(heads: Sequence[str], lines: Sequence[Sequence[str]], *, right: Iterable[int] = ()) -> str:
    """A table; columns whose places are in `right` hold numbers. Empty columns are left out."""
    sides = set(right)
    filled = [n for n, _ in enumerate(heads) if any(line[n] for line in lines)]
    shown = lines if len(lines) <= _MOST_ROWS else lines[:_FIRST]
    head = element("tr", *(_cell("th", heads[n], n in sides, scope="col") for n in filled))
    body = [element("tr", *(_cell("td", line[n], n in sides) for n in filled)) for line in shown]
    more = len(lines) - len(shown)
    rest = element("p", f"{said_count(more)} more", class_="b") if more else Markup("")
    table = element("table", element("thead", head), element("tbody", *body))
    return joined((table, rest))


def _cell(name: str, content: str, right: bool, **more: str) -> Markup:
    return element(name, content, **more, **({"class_": "n"} if right else {}))


def grades(letters: Iterable[str]) -> Markup:
    """Each grade once, from the best to the worst."""
    found = sorted({letter for letter in letters if letter})
    return Markup("".join(f'<span class="g g{text(each)}">{text(each)}</span>' for each in found))
