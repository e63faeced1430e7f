"""`leastnoise bounds` spends what it is told, shows the curve, and says what to write."""

import json
from pathlib import Path

from leastnoise.ledger import Ledger
from leastnoise.privacy import ApproxDP
from tests.cli.plans import write_visits
from tests.cli.run import run


def without_ledger(folder: Path) -> Path:
    place = write_visits(folder)
    for each in folder.glob("budget.db*"):
        each.unlink()
    return place


def spent(folder: Path) -> ApproxDP:
    found = Ledger(folder / "budget.db").spent
    assert isinstance(found, ApproxDP)
    return found


def test_the_curve_is_printed_and_charged(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    shown = run("bounds", place, "--spend", "0.05")
    assert shown.status == 0, shown.errors
    assert "least" in shown.output
    assert "Write it below the question" in shown.output.replace("\n", " ")
    assert spent(tmp_path).epsilon * 20 == 1
    told = json.loads(run("bounds", place, "--spend", "0.05", "--json").output)["bounds"]
    assert {each["bound"] for each in told} == {"max_groups", "max_rows"}
    assert {each["question"] for each in told if each["advised"]} == {
        each["question"] for each in told
    }
    assert spent(tmp_path).epsilon * 10 == 1


def test_what_was_not_seen_is_said(tmp_path: Path) -> None:
    """A small spend sees few units: without a cap no limit is true, with one the cap is named."""
    place = write_visits(tmp_path)
    open_ended = " ".join(run("bounds", place, "--spend", "0.01").output.split())
    assert "not known" in open_ended
    assert "Declare most_rows" in open_ended
    capped = place.read_text("utf-8").replace("max_rows = 3", "max_rows = 3\nmost_rows = 600")
    place.write_text(capped, "utf-8")
    said = " ".join(run("bounds", place, "--spend", "0.01").output.split())
    assert "max_rows = 600, the most that was declared, leaves out nothing" in said
    assert "too little to rule out" in said
    told = json.loads(run("bounds", place, "--spend", "0.01", "--json").output)["bounds"]
    safe = [each for each in told if each["bound"] == "max_rows" and each["value"] == 600]
    assert safe
    assert all(each["cut_most"] == 0 for each in safe)


def test_bad_spends_and_empty_ledgers_are_refused_before_the_charge(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    for spend, status in (("0", 2), ("-1", 2), ("much", 2), ("99", 1)):
        shown = run("bounds", place, f"--spend={spend}")
        assert shown.status == status, shown.errors
        assert "; got" in shown.errors or status == 1
    assert spent(tmp_path).epsilon == 0


def test_no_ledger_is_begun_by_the_way(tmp_path: Path) -> None:
    place = without_ledger(tmp_path)
    assert run("bounds", place, "--spend", "0.05").status == 2
    assert not (tmp_path / "budget.db").exists()


def test_a_plan_without_bounds_has_nothing_to_look_at(tmp_path: Path) -> None:
    place = without_ledger(tmp_path)
    place.write_text(place.read_text("utf-8").replace('unit = "patient"', 'unit = "row"'), "utf-8")
    assert run("budget", "begin", place).status == 0
    shown = run("bounds", place, "--spend", "0.05")
    assert shown.status == 2
    assert "depends on `max_rows`" in shown.errors
    assert spent(tmp_path).epsilon == 0


def test_auto_in_a_plan_is_released_from_the_command_line(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    text = place.read_text("utf-8").replace("max_groups = 2", 'max_groups = "auto"')
    place.write_text(text.replace("max_rows = 3", 'max_rows = "auto"'), "utf-8")
    assert "chosen from the data" in " ".join(run("preview", place).output.split())
    assert run("release", place).status == 0
    said = json.loads((tmp_path / "out" / "release.json").read_text("utf-8"))
    assert said["facts"]["chosen"]["names"] == ["max_groups", "max_rows"]
    wrong = text.replace('max_groups = "auto"', 'max_groups = "all"')
    place.write_text(wrong, "utf-8")
    shown = run("preview", place)
    assert shown.status == 2
    assert "a number or 'auto'" in shown.errors


def test_a_range_of_values_is_chosen_from_the_command_line(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    text = place.read_text("utf-8")
    place.write_text(text.replace("upper = 110", 'upper = "auto"'), "utf-8")
    assert "upper is chosen from the data" in " ".join(run("preview", place).output.split())
    assert run("release", place).status == 0
    said = json.loads((tmp_path / "out" / "release.json").read_text("utf-8"))["facts"]
    assert said["chosen"]["names"] == ["upper"]
    (told,) = said["chosen"]["ranges"]
    assert told["lower"] == 0 < told["upper"]
    assert "(upper was chosen from noisy numbers)" in said["questions"][2]["words"]
    place.write_text(text.replace("upper = 110", 'upper = "most"'), "utf-8")
    shown = run("preview", place)
    assert shown.status == 2
    assert "`upper` must be a number or 'auto'" in shown.errors


def test_the_curves_are_drawn(tmp_path: Path) -> None:
    place, drawn = write_visits(tmp_path), tmp_path / "curves.json"
    assert run("bounds", place, "--spend", "0.05", "--picture", drawn).status == 0
    spec = json.loads(drawn.read_text("utf-8"))
    rows = spec["data"]["values"]
    assert {row["series"] for row in rows} >= {"both together", "noise"}  # a cut may be none
    assert all(row["rows"] > 0 for row in rows)
    assert "Least error" in spec["description"]


def test_a_picture_that_cannot_be_is_refused_before_the_charge(tmp_path: Path) -> None:
    place = write_visits(tmp_path)
    for wrong in (tmp_path / "curves.doc", tmp_path / "nowhere" / "curves.svg"):
        shown = run("bounds", place, "--spend", "0.05", "--picture", wrong)
        assert shown.status == 2
        assert "`--picture` must be" in shown.errors
    assert spent(tmp_path).epsilon == 0


def test_a_plan_that_says_no_bounds_yet_can_be_looked_at(tmp_path: Path) -> None:
    """It is for those who do not know what to say; to release it they must say something."""
    place = write_visits(tmp_path)
    text = place.read_text("utf-8")
    place.write_text(text.replace("max_groups = 2\n", "").replace("max_rows = 3\n", ""), "utf-8")
    assert run("budget", place).status == 0  # the ledger does not depend on bounds
    shown = run("bounds", place, "--spend", "0.05")
    assert shown.status == 0, shown.errors
    assert "Least error" in shown.output
    refused = run("release", place)
    assert refused.status == 2
    assert "must be given where units may have several rows; got none" in refused.errors
