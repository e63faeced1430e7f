"""HTML in which nothing is markup by accident.

Every text is escaped when it becomes part of an element, unless it is `Markup`, which only the
functions below make. What a hostile table calls its columns cannot become code, nor turn the words
beside it around.
"""

from collections.abc import Iterable
from html import escape

from leastnoise._display import visible

_EMPTY = ("meta", "br", "link")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def text(value: str) -> Markup:
    """A text as markup that shows it."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(visible(value, keep="\n")))


def joined(parts: Iterable[str]) -> Markup:
    """Several parts one after the other."""
    return Markup("".join(map(text, parts)))


def element(name: str, /, *children: str, **attributes: str) -> Markup:
    """An element; `class_` stands for class, and `aria_label` for aria-label.

    Example:
        >>> element("p", "1 < 2", class_="small")
        '<p class="small">1 &lt; 2</p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items()
    )
    if name in _EMPTY:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def paragraphs(*sentences: str) -> Markup:
    """One paragraph each."""
    return joined(element("p", sentence) for sentence in sentences)


def items(*contents: str) -> Markup:
    """A list with dots."""
    return element("ul", *(element("li", content) for content in contents))


def facts(pairs: Iterable[tuple[str, str]]) -> Markup:
    """Names and what they stand for."""
    return element(
        "dl", *(joined((element("dt", name), element("dd", value))) for name, value in pairs)
    )


def headed_table(caption: str, headings: Iterable[str], rows: Iterable[str]) -> Markup:
    """A table with a heading over each column."""
    head = element("tr", *(element("th", name, scope="col") for name in headings))
    parts = element("caption", caption), element("thead", head), element("tbody", *rows)
    return element("table", *parts)


def scrolled(table: str, *, name: str, kind: str = "") -> Markup:
    """A table that may be wider than a phone: moved by touch, mouse or arrow keys."""
    look = f"scroll {kind}".rstrip()
    return element("div", table, class_=look, tabindex="0", role="region", aria_label=name)


def section(identity: str, heading: str, *contents: str) -> Markup:
    """A part of the appendix with a heading, to which links lead."""
    return element("section", element("h3", heading, id=identity), *contents)
