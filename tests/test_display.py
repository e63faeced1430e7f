"""What is shown cannot deceive, steer a terminal, or end a drawing program."""

import csv
import io
import json
import subprocess
import sys
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise._display import visible, visible_json
from leastnoise.reports import report_html
from leastnoise.web.releases import _table
from tests.reports.releases import question, release, table

TRICKS = [
    "\0", "\x07", "\x1b[2J", "\r", "\x7f", "\x85", "\x9b", "\xad", "\u034f", "\u061c", "\u115f",
    "\u180e", "\u200b", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
    "\u2060", "\u2066", "\u2069", "\u2800", "\u3164", "\ufe0f", "\ufeff", "\ufff9", "\ufffe",
    "\uffff", "\ud800", "\udfff", "\U000e0001", "\U000e0041", "\U000e0100", "\U0001d173",
]  # fmt: skip


@pytest.mark.parametrize("trick", TRICKS)
def test_tricks_are_escaped_everywhere(trick: str) -> None:
    name = f"Os{trick}lo"
    shown = visible(name)
    assert trick not in shown
    assert shown.startswith("Os<U+")
    assert shown.isprintable()
    made = release(
        [table(name, [name], column=name, note=name)],
        [question(name, name)],
        unit=name,
        dataset=name,
        purpose=name,
        labels={name: name},
    )
    for page in (report_html(made), made._repr_html_(), made.tables[0]._repr_html_()):
        assert trick not in page
        assert escape(shown) in page
    explorer = json.dumps(_table(1, made.tables[0]), ensure_ascii=False)
    assert trick not in explorer
    assert explorer.count(shown) == 4
    assert trick not in str(made)
    assert shown in str(made)
    picture = made.plot()
    for drawing in (json.dumps(picture.spec), picture.words, picture.html().partition("<scr")[0]):
        assert trick not in drawing


def test_ordinary_text_of_the_world_stays() -> None:
    for name in (
        "Tromsø",
        "京都",
        "القاهرة",
        "ירושלים",
        "Île\u00a0de\u202fFrance",
        "a\u3000b",
        "É",
    ):
        assert visible(name) == name
        assert visible_json(json.dumps(name, ensure_ascii=False)) == json.dumps(
            name, ensure_ascii=False
        )


@given(st.text())
def test_json_keeps_the_exact_value(text: str) -> None:
    shown = visible_json(json.dumps({"key": text}, ensure_ascii=False, indent=1))
    assert json.loads(shown) == {"key": text}
    assert visible(shown, keep="\n") == shown
    shown.encode()


@given(st.text())
def test_what_is_visible_stays_so(text: str) -> None:
    assert visible(visible(text)) == visible(text)
    visible(text).encode()


def test_a_drawing_with_every_trick_does_not_end_the_process() -> None:
    """The converter aborts at control characters; hence in a process of its own."""
    program = (
        "from tests.reports.releases import table\n"
        "from tests.test_display import TRICKS\n"
        "names = [*TRICKS, 'same', 'same', chr(92) + 'u0000', chr(92) + '\"', chr(92)]\n"
        "for column in [''.join(names), *names[-3:]]:\n"
        "    one = table(''.join(names), names, column=column)\n"
        "    one.plot().svg(), one.plot().png(), one._repr_html_()\n"
        "print('alive')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "alive\n", done.stderr


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''@x", "＝1", "－1"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_is_a_formula(formula: str) -> None:
    made = table(formula, [formula, "Oslo", "'s-Hertogenbosch"], column=formula)
    head, first, *others = csv.reader(io.StringIO(made.to_csv(), newline=""))
    assert head[0] == first[0] == f"'{formula}"
    assert [row[0] for row in others] == ["Oslo", "'s-Hertogenbosch"]
    raw = list(csv.reader(io.StringIO(made.to_csv(raw=True), newline="")))
    assert raw[0][0] == raw[1][0] == formula
    assert json.loads(made.to_json())["answers"][0][formula] == formula


def test_numbers_in_csv_stay_numbers() -> None:
    made = table("count", [-3, 4]).map(lambda values: values - 1000, "less")
    rows = list(csv.reader(io.StringIO(made.to_csv())))
    assert [row[0] for row in rows[1:]] == ["-3", "4"]
    assert all(float(row[1]) < 0 for row in rows[1:])


@given(st.text(alphabet="'=+-@a\t"), st.text(alphabet="'=+-@a\t"))
def test_two_texts_never_become_one(one: str, other: str) -> None:
    cells = [table("t", [key]).to_csv().splitlines()[1] for key in (one, other)]
    assert (cells[0] == cells[1]) == (one == other)
