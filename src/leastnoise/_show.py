"""The one door upwards: how a value shows itself by code that lives in higher layers.

A law, a ledger or a release knows its numbers, not how to draw them. Pictures and reports import
all of these, so none of these may import pictures. A class takes the functions below into its
body, `plot = _show.plot`, or derives from `Shown`, and the higher package is loaded by name when
one is called: the only place where a lower layer reaches a higher one, and it asks for nothing but
words and pictures.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol


class Drawing(Protocol):
    """What `plot` returns: a `leastnoise.pictures.Picture`, as the lower layers know it."""

    @property
    def spec(self) -> Mapping[str, Any]:
        """The drawing in the language of Vega-Lite."""

    @property
    def words(self) -> str:
        """What is to be seen."""

    @property
    def chart(self) -> Any:
        """The same as an Altair chart."""

    def svg(self) -> str:
        """As an SVG image."""

    def png(self, scale: float = 2) -> bytes:
        """As a PNG image."""

    def html(self) -> str:
        """As a web page that loads nothing from anywhere."""

    def save(self, path: str | Path) -> None:
        """Write a file: .svg, .png, .html or .json."""


def plot(self: object, *others: object, **options: Any) -> Drawing:
    """A picture of this value: shown in a notebook, or written by `.save("picture.svg")`.

    See docs/pictures.md for what is drawn and which options there are.
    """
    drawn: Drawing = import_module("leastnoise.pictures").picture_of(self, *others, **options)
    return drawn


def html(self: object) -> str:
    """What a notebook shows: a table and a picture if they can be drawn, else the text."""
    return str(import_module("leastnoise.reports").notebook_html(self))


def report(self: object, path: str | Path) -> None:
    """Write one self-contained HTML page about this release: see docs/report.md."""
    import_module("leastnoise.reports").write_report(self, path)


class Shown:
    """A value that draws itself."""

    plot = plot
    _repr_html_ = html
