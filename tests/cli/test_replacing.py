"""A release never mixes with another one, and takes none away unasked."""

import json
import os
import shutil
import threading
from pathlib import Path

import pytest

from leastnoise.cli.files import alone_in
from leastnoise.errors import LedgerError
from leastnoise.ledger import Ledger
from leastnoise.release.file.anchor import ANCHOR
from tests.cli.plans import PLAN, write_visits
from tests.cli.run import run


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return write_visits(tmp_path)


def lines(plan: Path) -> int:
    return len(Ledger(plan.parent / "budget.db").history())


def files(plan: Path) -> dict[str, bytes]:
    """What a release wrote; the note of its ledger stays when others take its place."""
    found = {path.name: path.read_bytes() for path in (plan.parent / "out").iterdir()}
    return {name: content for name, content in found.items() if name != ANCHOR}


def listed(plan: Path) -> set[str]:
    manifest = json.loads((plan.parent / "out" / "manifest.json").read_text("utf-8"))
    return {*manifest["files"], "manifest.json"}


def test_another_release_is_refused_before_anything_is_charged(plan: Path) -> None:
    assert run("release", plan).status == 0
    before = files(plan)
    assert set(before) == listed(plan)
    assert "needs --replace" in run("release", plan, "--dry-run").output
    for text in (PLAN, PLAN.replace('ask = "units"', 'ask = "units"\nname = "people"')):
        plan.write_text(text, "utf-8")
        refused = run("release", plan)
        assert refused.status == 2
        assert "must hold no other release" in refused.errors
        assert "--replace" in refused.errors
        assert (files(plan), lines(plan)) == (before, 1)


@pytest.mark.parametrize("left", ["release.json", "manifest.json", "release.json.0123.part"])
def test_whatever_is_left_of_a_release(plan: Path, left: str) -> None:
    (plan.parent / "out").mkdir()
    (plan.parent / "out" / left).write_text("something", "utf-8")
    refused = run("release", plan)
    assert refused.status == 2
    assert left in refused.errors
    assert lines(plan) == 0
    assert run("release", plan, "--replace").status == 0
    assert set(files(plan)) == listed(plan)


def test_a_release_that_replaces_leaves_none_of_the_old_files(plan: Path) -> None:
    more = '\n[[question]]\nask = "count"\nname = "rows"\n'
    formats = '\nformats = ["csv", "json", "parquet"]'
    plan.write_text(PLAN.replace('folder = "out"', f'folder = "out"{formats}') + more, "utf-8")
    assert run("release", plan).status == 0
    old = files(plan)
    (plan.parent / "out" / "notes.txt").write_text("mine", "utf-8")
    (plan.parent / "out" / "04_mine.csv").write_text("mine", "utf-8")
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "out"\nreport = false'), "utf-8")
    assert run("release", plan, "--replace").status == 0
    new = files(plan)
    assert set(new) == listed(plan) | {"notes.txt", "04_mine.csv"}
    assert new["notes.txt"] == new["04_mine.csv"] == b"mine"
    assert "report.html" in old
    assert not {name for name in new if new[name] == old.get(name)} - {
        name for name in new if name.startswith("certificate_")
    }


def test_the_same_answers_may_be_written_again(plan: Path) -> None:
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "out"\nstore = true'), "utf-8")
    assert run("release", plan).status == 0
    (plan.parent / "out" / "report.html").unlink()
    again = run("release", plan)
    assert again.status == 0, again.errors
    assert set(files(plan)) == listed(plan)
    changed = plan.parent / "out" / "release.json"
    changed.write_text(changed.read_text("utf-8").replace("promise", "Promise"), "utf-8")
    assert run("release", plan).status == 2
    assert lines(plan) == 2  # the charge, and the note of what was stored
    told = " ".join(run("preview", plan).output.split())
    assert "again gives the same answers, at no cost, whether or not rows have changed" in told
    assert "Again costs again" not in told


def test_answers_that_were_paid_for_and_not_stored_are_drawn_at_no_cost(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "out"\nstore = true'), "utf-8")

    def full(*_: object) -> None:
        raise LedgerError("the disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "keep", full)
        failed = run("release", plan)
    assert failed.status == 3
    said = " ".join(failed.errors.split())
    assert "line 1 of the ledger was charged" in said
    assert "Release the same plan again: it is drawn then, and nothing more is charged." in said
    assert not (plan.parent / "out" / "release.json").exists()
    again = run("release", plan)
    assert again.status == 0, again.errors
    told = " ".join(again.errors.split())
    assert "line 1 of budget.db paid for these answers, and they were not stored." in told
    assert lines(plan) == 2
    assert set(files(plan)) == listed(plan)


def test_a_folder_in_which_nothing_can_be_written(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("leastnoise.cli.files._write", refused)
    outcome = run("release", plan)
    monkeypatch.undo()
    assert outcome.status == 2
    assert "permission denied" in outcome.errors
    assert lines(plan) == 0


def test_an_old_file_that_cannot_be_removed(plan: Path) -> None:
    (plan.parent / "out" / "report.html" / "full").mkdir(parents=True)
    manifest = '{"files": {"report.html": ""}}'
    (plan.parent / "out" / "manifest.json").write_text(manifest, "utf-8")
    outcome = run("release", plan, "--replace")
    assert outcome.status == 3
    assert "report.html" in outcome.errors
    assert {"release.json", "01_count_by_city.csv"} <= set(os.listdir(plan.parent / "out"))


@pytest.mark.parametrize("option", [(), ("--replace",)], ids=str)
@pytest.mark.parametrize("name", ["02_people.csv", "report.html"])
def test_files_that_no_release_wrote_stay(plan: Path, name: str, option: tuple[str, ...]) -> None:
    """The data themselves may be called as a table would be."""
    data = (plan.parent / "visits.csv").rename(plan.parent / name)
    text = PLAN.replace('folder = "out"', 'folder = "."').replace(
        'ask = "units"', 'ask = "units"\nname = "people"'
    )
    if name.endswith(".csv"):
        text = text.replace('path = "visits.csv"', f'path = "{name}"\nname = "visits.csv"')
    else:
        (plan.parent / "visits.csv").write_bytes(data.read_bytes())
    plan.write_text(text, "utf-8")
    before = data.read_bytes()
    refused = run("release", plan, *option)
    assert (refused.status, lines(plan)) == (2, 0)
    assert name in refused.errors
    assert data.read_bytes() == before


def test_another_release_beside_the_first(plan: Path) -> None:
    assert run("release", plan, "--again").status == 0  # nothing is there yet
    before = files(plan)
    for number in (2, 3):
        again = run("release", plan, "--again")
        assert again.status == 0, again.errors
        assert f"out-{number} and spend" in " ".join(again.errors.split())
        assert (plan.parent / f"out-{number}" / "release.json").exists()
        assert (files(plan), lines(plan)) == (before, number)
    assert "Keep it, and write beside it: --again." in run("release", plan).errors
    assert run("release", plan, "--again", "--replace").status == 2


def test_a_ledger_without_a_line_of_a_release_beside_the_first_is_refused(plan: Path) -> None:
    """A copy from before the second release: what that spent would come back."""
    ledger = plan.parent / "budget.db"
    assert run("release", plan).status == 0
    kept = ledger.read_bytes()
    assert run("release", plan, "--again").status == 0
    ledger.write_bytes(kept)
    refused = run("release", plan, "--again")
    assert refused.status == 2
    assert "must be the one that earlier releases" in refused.errors
    ledger.unlink()
    assert run("release", plan, "--again", "--begin").status == 2
    assert not ledger.exists()


def test_a_folder_that_was_taken_away_hides_none_after_it(plan: Path) -> None:
    ledger = plan.parent / "budget.db"
    assert [run("release", plan, "--again").status for _ in range(2)] == [0, 0]
    kept = ledger.read_bytes()
    assert run("release", plan, "--again").status == 0
    shutil.rmtree(plan.parent / "out-2")
    ledger.write_bytes(kept)
    assert run("release", plan, "--again").status == 2
    ledger.rename(ledger.with_name("moved.db"))
    plan.write_text(PLAN.replace("budget.db", "moved.db"), "utf-8")
    assert run("release", plan, "--again").status == 2


@pytest.mark.parametrize("name", ["out-2", "out-2024"])
def test_folders_of_other_ledgers_with_such_names_do_not_count(name: str, plan: Path) -> None:
    text = PLAN.replace('folder = "out"', f'folder = "{name}"')
    other = plan.with_name("other.toml")
    other.write_text(text.replace("budget.db", "another.db"), "utf-8")
    assert run("release", other, "--begin").status == 0
    assert run("release", plan).status == 0
    assert run("release", plan, "--again").status == 0


def test_a_plan_in_its_own_folder_is_released_again_inside_it(plan: Path) -> None:
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "."'), "utf-8")
    assert run("release", plan).status == 0
    assert run("release", plan, "--again").status == 0
    assert (plan.parent / "release-2" / "release.json").exists()


def test_a_folder_that_was_made_for_nothing_is_taken_away(plan: Path) -> None:
    plan.write_text(PLAN.replace('folder = "out"', 'folder = "deep/out"'), "utf-8")
    assert run("release", plan, answer="n\n").status == 1
    assert not (plan.parent / "deep").exists()
    (plan.parent / "deep" / "out").mkdir(parents=True)
    assert run("release", plan, answer="n\n").status == 1
    assert (plan.parent / "deep" / "out").is_dir()  # it was there before


def test_whoever_waits_for_a_folder_that_is_taken_away_makes_it_again(tmp_path: Path) -> None:
    folder, entered = tmp_path / "out", threading.Event()

    def second() -> None:
        with alone_in(folder):
            entered.set()
            (folder / "mine").write_text("here", "utf-8")

    other = threading.Thread(target=second)
    with alone_in(folder):
        other.start()
        assert not entered.wait(0.2)  # it waits
    other.join()
    assert (folder / "mine").read_text("utf-8") == "here"
