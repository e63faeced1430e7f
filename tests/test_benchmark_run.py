"""A whole run of benchmarks goes on where it was interrupted, and is written down at the end."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import results, run
from benchmarks.row import Row


def topic(name: str, calls: list[str], *, fails: type[BaseException] | None = None) -> Callable[
    [], Iterator[Row]
]:  # fmt: skip
    def rows() -> Iterator[Row]:
        calls.append(name)
        if fails is not None:
            raise fails
        yield Row(name, "1 s", "2 s", 0.5, sense="at most", target=1)

    rows.__name__ = f"{name}_rows"
    return rows


@pytest.fixture
def readme(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    found = tmp_path / "README.md"
    found.write_text(f"before\n{results.FIRST}old\n{results.LAST}\nafter\n", "utf-8")
    monkeypatch.setattr(results, "README", found)
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(run, "BEGUN", tmp_path / "build" / "bench.json")
    monkeypatch.setattr(run, "PACKAGES", ("numpy",))
    monkeypatch.setattr(run, "_alone", run.records)
    monkeypatch.setattr(run, "_source", lambda: "one state")
    monkeypatch.setattr(sys, "argv", ["run"])
    return found


def test_a_run_goes_on_where_it_was(readme: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    stopped = topic("second", calls, fails=KeyboardInterrupt)
    monkeypatch.setattr(run, "TOPICS", (topic("first", calls), stopped))
    with pytest.raises(KeyboardInterrupt):
        run.main()
    broken = topic("third", calls, fails=ValueError)
    monkeypatch.setattr(run, "TOPICS", (topic("first", calls), topic("second", calls), broken))
    run.main()
    assert calls == ["first", "second", "second", "third"]
    found = json.loads((readme.parent / "results.json").read_text("utf-8"))
    assert [row["met"] for row in found["rows"]] == [True, True, False]
    text = readme.read_text("utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "2 targets met, 1 missed" in text
    assert "failed: ValueError" in text
    assert "old" not in text
    run.main()
    assert calls[4:] == ["first", "second", "third"]  # the next run is a new one


def test_what_another_source_was_measured_with_is_measured_again(
    readme: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(run, "TOPICS", (topic("first", calls),))
    run.BEGUN.parent.mkdir()
    run.BEGUN.write_text(json.dumps({"source": "another", "topics": {"first": []}}), "utf-8")
    run.main()
    assert calls == ["first"]
    assert readme.exists()
