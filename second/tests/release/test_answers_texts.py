"""What people read: margins that keep what the preview promised, notes, numbers, errors, one view."""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.noise import source
from leastnoise.report.numbers import share_with_margin, with_margin
from leastnoise.report.text import text_of

NUMBER = {"lower": 0, "upper": 100}


@pytest.fixture
def ledger(tmp_path: Path) -> ln.Ledger:
    return ln.Ledger.create(tmp_path / "x.ledger", privacy_unit="person", epsilon=6, delta="1e-6")


def people(rows: int, **columns: Any) -> ln.Data:
    random = np.random.default_rng(3)
    table = pa.table({"id": np.arange(rows) // 3, "g": random.choice(["a", "b"], rows, p=[0.7, 0.3]).tolist(),
                      "x": random.integers(0, 100, rows), "ok": random.random(rows) < 0.3})  # fmt: skip
    return ln.read(table, privacy_unit={"person": "id"}, data_version="1", columns=columns or None)


def asked(data: ln.Data, **options: Any) -> Any:
    return data.group_by("g", groups=["a", "b"]).agg(
        **options, n=ln.count(), m=ln.mean("x", **NUMBER), s=ln.share("ok"), q=ln.median("x", **NUMBER),
        v=ln.std("x", **NUMBER), t=ln.sum("x", **NUMBER), u=ln.count_units(),
    )  # fmt: skip


def margin(result: Any, *place: Any) -> float:
    found = result[place]
    return float(max(found.value - found.low, found.high - found.value))


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("limit", ["auto", 3])
def test_a_release_has_the_margins_that_its_preview_promised(
    limit: Any, noise: Any, ledger: ln.Ledger
) -> None:
    """At the limit that was chosen. Of means: they depend on noise, but in groups so large hardly."""
    query = asked(people(60_000), max_contributions=limit)
    preview = query.preview(ledger, epsilon=2, noise=noise)
    found = query.release(ledger, epsilon=2, noise=noise)
    drawn = 2 ** (found.select.limit.level / 2) if limit == "auto" else 100
    rows = found["a", "n"].value
    for name, within in {"n": 0.02, "t": 0.02, "u": 0.02, "m": 0.2, "s": 0.2}.items():
        expected = preview.margin(name, rows=rows, limit=drawn)
        assert margin(found, "a", name) == pytest.approx(expected, rel=within)
    assert margin(found, "a", "v") < 1.1 * preview.margin("v", rows=rows, limit=drawn)
    assert 0 < preview.margin("q", rows=rows, limit=drawn) < 1


def test_a_preview_says_what_its_margins_are_made_of_and_what_to_do(ledger: ln.Ledger) -> None:
    text = " ".join(repr(asked(people(300)).preview(ledger, epsilon=2, expected_rows=9000)).split())
    assert "95 % margins to expect in a group of 9,000 rows, by the limit that is chosen:" in text
    assert re.search(r"Of the price \d+ % chooses the limit; \d+ totals share the rest\.", text)
    assert "Margins grow with the width of a range, as of m (0 to 100)." in text
    assert "Smaller margins: set max_contributions if you know the most rows of one person" in text
    found = people(300).group_by("g", groups="auto", min_units=5).agg(n=ln.count())
    text = " ".join(repr(found.preview(ledger, epsilon=2)).split())
    assert re.search(r"Of the price 50 % finds the groups, \d+ % chooses the limit", text)


def test_margins_by_the_limit_are_in_proportion_to_it(ledger: ln.Ledger) -> None:
    preview = people(300).agg(n=ln.count()).preview(ledger, epsilon=1)
    (row,) = preview.view().rows
    assert [cell.value for cell in row[2:]] == ["± 110", "± 1,100", "± 11,000"]


def test_no_margin_is_ever_printed_as_zero() -> None:
    for power in range(-12, 13):
        for write in (with_margin, share_with_margin):
            assert float(write(1.0, 3.4 * 10.0**power)[1].replace(",", "")) > 0


def test_tiny_tables_say_what_is_unknown_and_why_counts_are_negative(ledger: ln.Ledger) -> None:
    query = people(4).group_by("g", groups=["a", "b", *map(str, range(40))]).agg(
        max_contributions=1, n=ln.count(), s=ln.share("ok"))  # fmt: skip
    found = query.release(ledger, epsilon="0.1")
    text = repr(found)
    assert "unknown" in text
    assert "± 100" not in text.replace("± 100,", "")
    assert "Counts below 0 come from the noise. Read them as small." in text
    assert all(0 <= row["n_low"] < row["n_high"] for row in found.rows)
    assert all(0 <= row["s_low"] < row["s_high"] <= 1 for row in found.rows)


@pytest.mark.parametrize("limit", ["auto", 2])
def test_texts_are_short_and_show_few_digits(limit: Any, ledger: ln.Ledger) -> None:
    query = asked(people(900, x={"type": "integer", "measured_in": "kr"}), max_contributions=limit)
    found = query.release(ledger, epsilon=1)
    shown = [
        repr(each) for each in (query.preview(ledger, epsilon=1), found, ledger, found["a", "m"])
    ]
    for text in shown:
        assert max(map(len, text.split("\n"))) <= (80 if "Answer" not in text else 200)
        assert not re.search(r"\d\.\d{6}", text)
    for note in found.notes:
        assert len(text_of(found.view().__class__((note.text,))).split("\n")) <= 2
    assert " kr" in shown[1]


def test_text_html_and_json_show_one_view(ledger: ln.Ledger) -> None:
    data = people(900)
    query = asked(data, max_contributions=3)
    found, plan = query.release(ledger, epsilon=1), ln.plan(a=query, b=query)
    for shown in (found, query.preview(ledger, epsilon=1), ledger, data):
        view, html = shown.view(), shown._repr_html_()
        for row in view.rows:
            assert all(escape(cell.value) in html for cell in row)
        assert all(escape(note).replace("\n", "<br>") in html for note in view.notes)
    release = plan.release(ledger, epsilon=1)
    assert release._repr_html_().count("<table>") == 2
    body = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert [each["text"] for each in body["notes"]] == [note.text for note in found.notes]
    assert body["rows"] == found.rows


def test_what_is_unknown_is_null_in_json(
    ledger: ln.Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a key that makes the count small: one in twenty is so large that the quotient is known."""
    monkeypatch.setattr(source, "_system", None)
    monkeypatch.setattr("os.urandom", bytes)
    text = "SELECT SUM(clip(x, 0, 100)) / COUNT(*) AS r FROM data"
    found = people(2).sql(text, max_contributions=3).release(ledger, epsilon="0.01")
    (row,) = json.loads(found.to_json(), parse_constant=pytest.fail)["rows"]
    assert row["r_low"] is row["r_high"] is None
    assert "unknown" in repr(found)


def test_mistakes_of_readers_are_answered_in_a_sentence(ledger: ln.Ledger) -> None:
    found = asked(people(900), max_contributions=3).release(ledger, epsilon=1)
    frame = found.to_pandas()
    assert [*frame.columns][:5] == ["g", "n", "n_low", "n_high", "n_se"]
    assert found["a", "n"].value == frame["n"][0]
    places: list[Any] = [
        "n",
        None,
        ("a",),
        ("a", "b", "n"),
        ("c", "n"),
        (["a"], "n"),
        1,
        ("a", "m2"),
        slice(3),
    ]
    for place in places:
        with pytest.raises(ln.InvalidInput):
            found[place]
    for level in (0, 1, 95, "x", None):
        with pytest.raises(ln.InvalidInput):
            found.intervals(level)
    with pytest.raises(ln.InvalidInput):
        found.intervals(level=0.9)["a", "n2"]


def test_a_mean_without_a_range_is_refused_with_what_to_type() -> None:
    with pytest.raises(
        ln.InvalidInput, match=r'needs a range(.|\n)*ln\.mean\("x", lower=0, upper=600\)'
    ):
        people(9).agg(m=ln.mean("x"))


def test_more_than_the_ledger_has_is_refused_in_the_currency_that_is_left(
    ledger: ln.Ledger,
) -> None:
    query = asked(people(900), max_contributions=3)
    query.release(ledger, epsilon=3)
    with pytest.raises(ln.BudgetExceeded, match=r"would cost \d\d % of x.ledger; \d\d % is left"):
        query.release(ledger, epsilon="5.9")
