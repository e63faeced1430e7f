"""Files are written whole or not at all, and those that belong together stay together."""

import errno
import hashlib
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from leastnoise.cli.files import alone_in, write_text, write_together
from leastnoise.errors import InvalidParameter


def test_two_writers_of_one_file_do_not_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, replace = tmp_path / "release.json", os.replace

    def interrupted(part: str, path: str) -> None:
        monkeypatch.setattr(os, "replace", replace)
        write_text(place, "second" * 1000)  # another process, between our writing and renaming
        replace(part, path)

    monkeypatch.setattr(os, "replace", interrupted)
    write_text(place, "first")
    assert place.read_text("utf-8") == "first"
    assert list(tmp_path.iterdir()) == [place]


@pytest.mark.parametrize("failing", ["fsync", "replace", "write"])
def test_a_full_disk_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    place = tmp_path / "release.json"
    write_text(place, "old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/secret/place")

    monkeypatch.setattr(os, failing, full)
    with pytest.raises(InvalidParameter, match="no space left") as refused:
        write_text(place, "new")
    assert "secret" not in str(refused.value)
    monkeypatch.undo()
    assert place.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [place]


def test_what_was_written_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file before its name, and the folder after it."""
    order: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(number: int) -> None:
        order.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file")
        fsync(number)

    def renamed(part: str, path: str) -> None:
        order.append("name")
        replace(part, path)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    write_text(tmp_path / "release.json", "text")
    assert order == ["file", "name", "folder"]


def test_the_rights_are_those_of_any_new_file(tmp_path: Path) -> None:
    write_text(tmp_path / "ours", "text")
    (tmp_path / "theirs").write_text("text", "utf-8")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


class Stopped(BaseException):
    """Ends a program at once, as a kill would."""


@pytest.mark.parametrize("stop", range(12))
def test_no_table_of_an_earlier_release_stands_beside_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    def release(number: int) -> None:
        tables = {f"0{k}_table.csv": lambda: f"{number}" for k in range(3)}
        write_together(tmp_path, "release.json", f"{number}", tables)

    release(1)
    calls = iter(range(100))
    for name in ("replace", "unlink", "fsync"):
        real = getattr(os, name)

        def counted(*arguments: object, real: object = real) -> None:
            if next(calls) == stop:
                raise Stopped
            real(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(os, name, counted)
    try:
        release(2)
    except Stopped:
        monkeypatch.undo()
    whole = (tmp_path / "release.json").read_text("utf-8")
    tables = [path.read_text("utf-8") for path in tmp_path.glob("*.csv")]
    assert set(tables) <= {whole}


def test_sets_written_at_the_same_time_are_not_mixed(tmp_path: Path) -> None:
    def release(number: int) -> None:
        tables = {f"0{k}_table.csv": lambda: f"{number}" for k in range(5)}
        with alone_in(tmp_path):
            write_together(tmp_path, "release.json", f"{number}", tables)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(release, range(40)))
    (tmp_path / "manifest.json").unlink()
    assert len({path.read_text("utf-8") for path in tmp_path.iterdir()}) == 1


def test_what_cannot_be_made_does_not_take_the_first_file_with_it(tmp_path: Path) -> None:
    """The answers are paid for: a report that fails must not cost them."""

    def broken() -> str:
        raise RuntimeError("a bug in a report")

    def full() -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    for content, reason in ((broken, "RuntimeError"), (full, "no space left on device")):
        others = {"report.html": content, "01_table.csv": lambda: "table"}
        missing = write_together(tmp_path, "release.json", "answers", others)
        assert missing == {"report.html": reason}
        assert (tmp_path / "release.json").read_text("utf-8") == "answers"
        assert (tmp_path / "01_table.csv").read_text("utf-8") == "table"


@pytest.mark.parametrize("failing", range(1, 12))
def test_answers_are_somewhere_whatever_fails_after_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    calls = iter(range(100))
    for name in ("replace", "unlink"):
        real = getattr(os, name)

        def counted(*arguments: object, real: object = real) -> None:
            if next(calls) >= failing - 1:
                raise OSError(errno.EIO, "Input/output error")
            real(*arguments)  # type: ignore[operator]

        monkeypatch.setattr(os, name, counted)
    with suppress(InvalidParameter):
        write_together(tmp_path, "release.json", "answers", {"report.html": lambda: "page"})
    monkeypatch.undo()
    assert "answers" in {path.read_text("utf-8") for path in tmp_path.glob("release.json*")}


def test_a_list_of_files_removes_nothing_that_is_not_ours(tmp_path: Path) -> None:
    ours = ["01_old.csv", "02_old.parquet", "certificate_0123456789ab.json", "report.html"]
    names = [*ours, "visits.csv", "budget.db", "plan.toml", "../other/01_x.csv", "sub/01_x.csv"]
    folder = tmp_path / "out"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("old", "utf-8")
    for text in (
        json.dumps({"files": dict.fromkeys(names)}),
        "[",
        "[]",
        '{"files": 3}',
        "[" * 9999,
    ):
        (folder / "manifest.json").write_text(text, "utf-8")
        write_together(folder, "release.json", "answers", {})
    assert [name for name in names if not (folder / name).exists()] == ours


def test_the_list_has_every_file_and_its_fingerprint(tmp_path: Path) -> None:
    write_together(
        tmp_path, "release.json", "answers", {"01_a.csv": lambda: "a", "x": lambda: b"x"}
    )
    files = json.loads((tmp_path / "manifest.json").read_text("utf-8"))["files"]
    assert files == {
        name: hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
        for name in ("release.json", "01_a.csv", "x")
    }


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="must be writable"):
        write_text(tmp_path / "no such folder" / "file", "text")
