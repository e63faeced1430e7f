"""A view as text of at most 80 columns, and as HTML without script."""

import re
from html.parser import HTMLParser

from leastnoise.report.html import html_of
from leastnoise.report.text import text_of
from leastnoise.report.view import Cell, View

EVIL = '<script>alert("1")</script>'


def wide(columns: int) -> View:
    heads = ("place", *(f"number_{i}" for i in range(columns)))
    rows = [
        (Cell(f"town {i}"), *(Cell("1,234,567", "89,000 kr") for _ in range(columns)))
        for i in range(3)
    ]
    return View(("Title", "Sentence"), heads, tuple(rows), ("A note. " * 20,))


def test_no_line_has_more_than_80_columns_and_nothing_is_lost() -> None:
    for columns in range(1, 9):
        lines = text_of(wide(columns)).split("\n")
        assert max(map(len, lines)) <= 80
        text = "\n".join(lines)
        assert text.count("1,234,567 ± 89,000 kr") == 3 * columns
        assert all(f"number_{i}" in text for i in range(columns))


def test_no_line_ends_between_a_number_and_its_sign() -> None:
    title = (
        "flights by origin, 12 months at epsilon 1 would cost 4 % of flights.ledger (100 % left)."
    )
    assert text_of(View((title,), (), ())).split("\n")[1] == "(100 % left)."


def test_columns_that_go_below_have_their_groups_beside_them() -> None:
    text = text_of(wide(5))
    assert text.count("town 2") == text.count("place") == 2


def test_a_table_without_heads_begins_at_once() -> None:
    view = View(("Title",), ("", ""), ((Cell("count"), Cell("12", "3")),))
    assert text_of(view) == "Title\n\ncount    12 ± 3"
    assert "<thead>" not in html_of([view])


def test_margins_of_different_length_stand_beside_their_sign() -> None:
    view = View(
        ("Title",), ("g", "n"), ((Cell("a"), Cell("24.1", "8.9")), (Cell("b"), Cell("2", "22")))
    )
    assert text_of(view).split("\n")[-2:] == ["a    24.1 ± 8.9", "b       2 ± 22"]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        assert all(name == "style" for name, _ in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_escaped_closed_and_has_no_colours_of_its_own() -> None:
    bar = Cell("10", "5", (0.25, 0.5, 0.75))
    view = View(
        (EVIL, EVIL), (EVIL, "n"), ((Cell(EVIL), bar), (Cell("b"), Cell(EVIL, EVIL))), (EVIL,)
    )
    text, tags = html_of([view, view]), Tags()
    tags.feed(text)
    assert not tags.open
    assert tags.found == {
        "div",
        "p",
        "b",
        "br",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "span",
    }
    assert "left:25.0%;width:50.0%" in text
    assert not re.search(r"#[0-9a-f]{3}|rgb|(?<!-)color:", text)


def test_html_shows_at_most_twenty_rows() -> None:
    rows = tuple((Cell(str(i)), Cell("1")) for i in range(100))
    text = html_of([View(("Title",), ("g", "n"), rows)])
    assert text.count("<tr>") == 1 + 20
    assert "... (100 rows)" in text
