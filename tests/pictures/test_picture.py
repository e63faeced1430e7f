"""Every kind of value has a picture that is valid, described, and can be written to a file."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import altair
import pytest

import leastnoise as ln
from leastnoise import _show, pictures
from leastnoise.errors import InvalidParameter, UnsupportedQuery
from leastnoise.noise import Canonical, DiscreteLaplace, LatticeLaw, Staircase
from leastnoise.pictures import (
    Picture,
    error_by_epsilon,
    error_by_questions,
    picture_of,
    renderer,
)
from leastnoise.pictures.palette import FAINT_INK, INK, LINES
from leastnoise.planning.tradeoff_view import tradeoff_points
from tests.laws.examples import EXAMPLES
from tests.layers import modules
from tests.over_time.tables import Visit, arrow
from tests.reports.releases import table

EXTERNAL = re.compile(r"""(?:src|href)\s*=\s*["'](?:https?:)?//|@import|url\(\s*["']?https?:""")


def some_ledger(folder: Path, *costs: str, **more: Any) -> ln.Ledger:
    ledger = ln.Ledger(
        folder / "budget.db", total=ln.PureDP(epsilon=3), dataset="visits", **more, begin=True
    )
    for number, cost in enumerate(costs, 1):
        ledger.charge(ln.PureDP(epsilon=cost), purpose=f"table {number}")
    return ledger


def values(folder: Path) -> Iterator[Any]:
    mechanism = ln.optimal(sensitivity=10, epsilon=3)
    yield mechanism
    yield mechanism.law
    yield mechanism.privacy()
    yield tradeoff_points(mechanism.privacy(), epsilon=3)
    yield from (ln.PureDP(epsilon=1), ln.ApproxDP(epsilon=1, delta="1e-6"), ln.GDP(mu=1))
    yield from (ln.ZCDP(rho="0.5"), ln.RDP(order=4, epsilon=1))
    yield some_ledger(folder, "0.5", "1")
    yield ln.relative_counts(relative_error="0.05", smallest=1).curve()
    yield ln.sample_size(dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95")
    yield from (some_series(folder, by=()), some_series(folder, by=("town",)))


def some_series(folder: Path, by: tuple[str, ...]) -> Any:
    """Three steps of a schedule."""
    rows = [Visit(n, date(2026, 1, 1 + n % 3), "ab"[n % 2]) for n in range(30)]
    asked = ln.plan(ln.read(arrow(rows), unit=None, dataset="visits"))
    asked = asked.count(by=by, keys=["a", "b"] if by else None, name="visits")
    daily = asked.every("day", start="2026-01-01", steps=3, column="day")
    place = folder / f"series {len(by)}.db"
    ledger = ln.Ledger(place, total=ln.ZCDP(rho=1), begin=True)
    daily.begin(ln.ZCDP(rho=1), ledger=ledger)
    daily.release_step(ledger=ledger, today=date(2026, 2, 1))
    return daily.released_steps(ledger=ledger)[0]


def test_a_series_has_a_band_for_each_group(tmp_path: Path) -> None:
    told = some_series(tmp_path, by=("town",))
    drawn = told.plot()
    assert "3 steps of 2 groups" in drawn.words
    band, line = drawn.spec["layer"]
    assert band["mark"]["type"], line["mark"]["type"] == ("area", "line")
    rows = drawn.spec["data"]["values"]
    assert [row["value"] for row in rows] == told.values.tolist()
    assert [row["lower"] for row in rows] == told.lower.tolist()
    assert {row["step"] for row in rows} == {"2026-01-01", "2026-01-02", "2026-01-03"}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[Picture]:
    shown = [value.plot() for value in values(tmp_path_factory.mktemp("ledger"))]
    by_epsilon = error_by_epsilon(ln.optimal(sensitivity=10, epsilon=3), [1, 2, 3, 4])
    return [*shown, by_epsilon, error_by_questions(counts=[1, 10])]


def test_every_picture_is_valid_vega_lite(drawn: list[Picture]) -> None:
    for each in drawn:
        assert isinstance(each.chart, altair.TopLevelMixin)  # the schema is checked on the way


def test_every_picture_is_described_and_titled(drawn: list[Picture]) -> None:
    for each in drawn:
        assert each.words == each.spec["description"]
        assert len(each.words) > 20
        assert each.spec["title"]["text"]
        assert len({axis["title"] for axis in axes(each.spec) if axis.get("title")}) >= 2


def axes(node: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(node, Mapping):
        for name, inner in node.items():
            if name in {"x", "y"} and isinstance(inner, Mapping) and "type" in inner:
                yield inner
            yield from axes(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from axes(inner)


def test_no_picture_holds_nan_or_infinity(drawn: list[Picture]) -> None:
    for each in drawn:
        json.dumps(each.spec, allow_nan=False)


def test_every_picture_is_drawn_without_a_warning(drawn: list[Picture]) -> None:
    for each in drawn:
        svg = each.svg()
        assert svg.startswith('<svg role="img" aria-label="')
        assert "NaN" not in svg
        assert EXTERNAL.search(svg) is None


def test_a_drawing_is_the_same_every_time(drawn: list[Picture]) -> None:
    assert drawn[0].svg() == drawn[0].svg()
    assert drawn[0].png() == drawn[0].png()


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.svg", b"<svg "), ("a.png", b"\x89PNG"), ("a.HTML", b"<!DOCTYPE html>"), ("a.json", b"{")],
)
def test_files(tmp_path: Path, name: str, start: bytes) -> None:
    Canonical(epsilon=1, delta="1e-6").plot().save(tmp_path / name)
    assert (tmp_path / name).read_bytes().lstrip().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_page_loads_nothing_from_anywhere() -> None:
    page = Canonical(epsilon=1, delta="1e-6").plot().html()
    assert EXTERNAL.search(page) is None
    assert len(page) > 200_000  # the drawing code is inside


def test_other_files_are_refused(tmp_path: Path) -> None:
    shown = Canonical(epsilon=1, delta="1e-6").plot()
    with pytest.raises(InvalidParameter, match=r"must end with \.svg, \.png, \.html, \.json"):
        shown.save(tmp_path / "a.gif")
    with pytest.raises(InvalidParameter, match="must be writable; got no such file"):
        shown.save(tmp_path / "nowhere" / "a.svg")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a.json").write_text("old")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InvalidParameter, match="no space left"):
        Canonical(epsilon=1, delta="1e-6").plot().save(tmp_path / "a.json")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("law", [example.law for example in EXAMPLES], ids=repr)
def test_every_law_has_a_picture(law: LatticeLaw) -> None:
    json.dumps(law.plot().spec, allow_nan=False)


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(UnsupportedQuery, match="got a int"):
        picture_of(3)
    with pytest.raises(InvalidParameter, match="a law is drawn beside other laws; got a int"):
        Canonical(epsilon=1, delta="1e-6").plot(3)


def test_notebooks_show_the_text_and_the_picture() -> None:
    law = DiscreteLaplace(scale=2)
    shown = law._repr_html_()
    assert shown.startswith("<pre")
    assert "DiscreteLaplace(scale=2)" in shown
    assert 'role="img"' in shown
    bundle = picture_of(law)._repr_mimebundle_(include=None)
    assert set(bundle) == {"text/html", "text/plain"}


def test_notebooks_show_tables_as_text_too() -> None:
    assert "Oslo" in table("count by city", ["Oslo"])._repr_html_().partition("</pre>")[0]


def test_texts_are_short() -> None:
    view = tradeoff_points(ln.PrivacyLoss.gaussian(mu=1), epsilon=1, delta="0.127")
    assert repr(view) == "TradeoffView(99 points; ε = 1, δ = 0.127 is kept)"
    broken = tradeoff_points(ln.PrivacyLoss.gaussian(mu=1), epsilon=1, delta="0.1")
    assert repr(broken) == "TradeoffView(99 points; ε = 1, δ = 0.1 is not proved)"
    curve = ln.relative_counts(relative_error="0.05", smallest=1).curve([1, 10])
    assert repr(curve) == "GroupCurve(2 sizes from 1 to 10)"


class Hostile:
    def __repr__(self) -> str:
        return "<script>alert(1)</script>"


def test_notebooks_escape_what_they_show() -> None:
    assert "<script" not in pictures.notebook_html(Hostile())
    bad = Picture(DiscreteLaplace(scale=2).plot().spec, '"><script>alert(1)</script>')
    assert "<script" not in bad._repr_html_()


def test_without_the_extra_there_is_text_and_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setattr(renderer, "is_installed", lambda: False)
    law = DiscreteLaplace(scale=2)
    assert law._repr_html_() == (
        '<pre style="white-space:pre-wrap;margin:0">DiscreteLaplace(scale=2)</pre>'
    )
    assert "leastnoise[plots]" in picture_of(law)._repr_html_()
    for action in (law.plot().svg, law.plot().png, law.plot().html, lambda: law.plot().chart):
        with pytest.raises(UnsupportedQuery, match=r"pip install 'leastnoise\[plots\]'"):
            action()


def test_drawing_packages_are_loaded_only_when_used() -> None:
    program = (
        "import sys, leastnoise as ln\n"
        "picture = ln.noise.DiscreteLaplace(scale=2).plot()\n"
        "assert 'vl_convert' not in sys.modules and 'altair' not in sys.modules\n"
        "picture.svg()\n"
        "assert 'vl_convert' in sys.modules and 'altair' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)


def test_there_is_one_door_upwards() -> None:
    """Only the door (and the facade, which is on top) may load a module of ours by name."""
    by_name = [
        name
        for name, path in modules().items()
        if re.search(
            r"import_module\(\s*f?[\"'](?:leastnoise|\{__name__\})", path.read_text("utf-8")
        )
    ]
    assert set(by_name) <= {"leastnoise", "leastnoise._show"}
    assert {"plot", "html", "report"} <= set(vars(_show))


def contrast(one: str, other: str) -> float:
    """As the Web Content Accessibility Guidelines define it."""

    def light(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_stand_out() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert min(contrast(colour, "#FFFFFF") for colour in LINES) >= 3
    assert min(contrast(colour, "#FFFFFF") for colour in (INK, FAINT_INK)) >= 4.5
    assert contrast(FAINT_INK, "#E4E4E4") >= 4.5  # on the ground of the impossible


def test_staircase_beside_laplace_is_the_law_itself() -> None:
    law = Staircase(sensitivity=10, epsilon=2, width=3)
    shown = law.plot(DiscreteLaplace(scale=5), DiscreteLaplace(scale=6))
    rows = shown.spec["data"]["values"]
    names = list(dict.fromkeys(row["series"] for row in rows))
    assert names == ["Staircase", "Discrete Laplace", "Discrete Laplace (2)"]
    drawn = {row["error"]: row["chance"] for row in rows if row["series"] == "Staircase"}
    assert drawn[0.0] == drawn[2.0] > drawn[3.0] == drawn[12.0]
    assert drawn[3.0] == pytest.approx(float(law.pmf(3)))
