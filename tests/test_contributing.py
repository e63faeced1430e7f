"""What CONTRIBUTING.md and the figures of coverage say about the tree is so."""

import tomllib
from pathlib import Path

import pytest

from tests import test_layers
from tests.coverage_table import PAGE, counted, stated
from tests.layers import SOURCES
from tests.test_release_layers import STATIONS, TRUSTED

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
COVERAGE = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]
PACKAGES = ("numeric", "randomness", "privacy", "noise", "certificates", "mechanisms",
            "accounting", "ledger", "tabulation", "groupwise")  # fmt: skip


def table(head: str) -> str:
    """The table that begins with a line."""
    return TEXT.partition(head)[2].partition("\n\n")[0]


def is_tested(folder: Path) -> bool:
    return any(folder.glob("*.py"))


@pytest.mark.parametrize("folder", sorted(filter(is_tested, (ROOT / "tests").iterdir())))
def test_every_folder_of_tests_is_in_the_table(folder: Path) -> None:
    assert f"`tests/{folder.name}`" in table("| place | what it tests |")


@pytest.mark.parametrize("part", sorted(test_layers.LEVEL))
def test_every_part_is_in_the_table_of_layers(part: str) -> None:
    spelled = f"`{part}/`" if (SOURCES / part).is_dir() else f"`{part}.py`"
    assert spelled in table("| layer | place in `src/leastnoise` | what it holds |")


@pytest.mark.parametrize("part", sorted(set().union(*STATIONS) - {"draw.answered"}))
def test_every_station_is_in_the_table_of_stations(part: str) -> None:
    inner = part.replace(".", "/")
    folder = (SOURCES / "release" / inner).is_dir()
    spelled = f"`release/{inner}/`" if folder else f"`release/{inner}.py`"
    rows = table("| station | what it holds | trusted |").splitlines()
    row = next(row for row in rows if spelled in row)
    assert row.endswith("| yes |") is (part in TRUSTED)


def place(part: str) -> str:
    """As `include` spells it: a folder, or a file where the whole station is one."""
    return f"src/leastnoise/{part}" + ("/*" if (SOURCES / part).is_dir() else ".py")


def test_coverage_counts_the_whole_trusted_path_by_folders() -> None:
    parts = [*PACKAGES, *(f"release/{part}" for part in TRUSTED)]
    assert sorted(COVERAGE["run"]["include"]) == sorted(map(place, parts))


def test_the_page_on_coverage_has_a_row_for_each_part() -> None:
    listed = [each.removeprefix("src/leastnoise/") for each in COVERAGE["run"]["include"]]
    rows = stated(PAGE.read_text("utf-8"))
    assert sorted(rows) == sorted(each.removesuffix("/*") for each in listed)


def test_branches_are_counted_by_part() -> None:
    rows = "| `ledger` | what was spent | 5 of 6 |\n| `release/gate.py` | the door | 2 of 2 |\n"
    assert stated(rows) == {"ledger": 1, "release/gate.py": 0}
    files = {
        "src/leastnoise/ledger/chain.py": {"summary": {"covered_branches": 1, "num_branches": 2}},
        "src/leastnoise/ledger/store.py": {"summary": {"covered_branches": 4, "num_branches": 4}},
        "src/leastnoise/release/gate.py": {"summary": {"covered_branches": 2, "num_branches": 2}},
    }
    assert counted(files, stated(rows)) == {"ledger": (5, 6), "release/gate.py": (2, 2)}
