"""`Picture`: a drawing as data, with the sentence it shows."""

import json
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.pictures import renderer
from leastnoise.pictures.palette import FAINT_INK, FORBIDDEN, GRID, INK, LOOK, MIDDLING
from leastnoise.pictures.web_page import web_page
from leastnoise.pictures.whole_file import write_whole

Spec = Mapping[str, Any]
"""A chart in the language of Vega-Lite."""

_VEIL = "#88888840"  # a grey that can be seen on white and on black
_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A drawing that can be shown, saved and handed on.

    Making one needs nothing but this library; to see it, the extra `plots` must be installed.

    Attributes:
        spec: the whole drawing in the language of Vega-Lite, its data included.
        words: what is to be seen, in plain sentences; also the text for those who cannot see it.

    Example:
        >>> from leastnoise.noise import Staircase
        >>> Staircase(sensitivity=10, epsilon=3, width=2).plot()
        Picture('How likely each error is. Staircase: at most 10 in 95 of 100 answers.')
    """

    spec: Spec
    words: str

    def __post_init__(self) -> None:
        # A control character would end the whole process in the converter.
        object.__setattr__(self, "spec", _drawable(self.spec))
        object.__setattr__(self, "words", visible(self.words, keep="\n"))

    @property
    def chart(self) -> Any:
        """The same as an Altair chart, to change or to combine; needs Altair."""
        return renderer.altair().Chart.from_dict(dict(self.spec))

    def svg(self) -> str:
        """As an SVG image that is described by `words`."""
        return _described(str(renderer.converted("svg", self.spec)), self.words)

    def png(self, scale: float = 2) -> bytes:
        """As a PNG image, `scale` pixels to a point."""
        return bytes(renderer.converted("png", self.spec, scale=scale))

    def html(self) -> str:
        """As a web page that can be explored with a pointer and loads nothing from anywhere."""
        # Not the converter's own page: a name that holds "</script>" would become code there.
        code = str(renderer.converter().javascript_bundle())
        return web_page(self.spec, svg=self.svg(), code=code)

    def save(self, path: str | Path) -> None:
        """Write a file: .svg, .png, .html or, as data, .json."""
        place = Path(path)
        forms: dict[str, Callable[[], bytes]] = {
            ".svg": lambda: self.svg().encode(),
            ".png": self.png,
            ".html": lambda: self.html().encode(),
            ".json": lambda: json.dumps(self.spec, ensure_ascii=False, indent=1).encode(),
        }
        form = forms.get(place.suffix.lower())
        if form is None:
            known = ", ".join(forms)
            raise _check.refuse(f"`path` must end with {known}", repr(place.name), "Choose one.")
        write_whole(place, form())

    def _repr_html_(self) -> str:
        if not renderer.is_installed():
            return f"<p>{escape(self.words)}</p><p><small>{escape(renderer.REMEDY)}</small></p>"
        return f'<figure style="margin:0;max-width:100%">{in_any_light(self.svg())}</figure>'

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"Picture({self.words!r})"


def drawn(body: Spec, *, title: str, subtitle: str | Sequence[str] = "", words: str) -> Picture:
    """A picture with a headline, in the common look."""
    head: dict[str, Any] = {"text": title}
    if subtitle:
        head["subtitle"] = subtitle
    return Picture(
        {"$schema": _SCHEMA, "description": words, "title": head, **body, "config": LOOK}, words
    )


def _drawable(part: Any) -> Any:
    """The same, with every text in it made visible.

    Vega-Lite puts titles into expressions without care for backslashes: a sign that looks alike
    stands for them.
    """
    if isinstance(part, str):
        return visible(part).replace("\\", "\N{SET MINUS}")
    if isinstance(part, Mapping):
        return {_drawable(name): _drawable(each) for name, each in part.items()}
    return [_drawable(each) for each in part] if isinstance(part, list | tuple) else part


def in_any_light(svg: str) -> str:
    """A drawing without a ground, whose text has the colour of the text around it.

    So it can be read in light and in dark notebooks. Files keep their white ground: nobody knows
    where they will be shown.
    """
    for colour in (INK, FAINT_INK):
        svg = svg.replace(f'fill="{colour}"', 'fill="currentColor"')
        svg = svg.replace(f'stroke="{colour}"', 'stroke="currentColor"')
    for colour, other in {**MIDDLING, GRID: _VEIL, FORBIDDEN: _VEIL}.items():
        svg = svg.replace(f'"{colour}"', f'"{other}"')
    return svg.replace('fill="white"', 'fill="none"', 1)


def _described(svg: str, words: str) -> str:
    """With a role and a name for screen readers, and free to shrink with the page."""
    label = f'<svg role="img" aria-label="{escape(words)}" style="max-width:100%;height:auto" '
    return svg.replace("<svg ", label, 1)
