"""Which branches of each trusted part the tests took, held against docs/coverage.md.

Usage: python -m coverage json -o build/coverage.json && python -m tests.coverage_table
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MEASURED = ROOT / "build" / "coverage.json"
PAGE = ROOT / "docs" / "coverage.md"
ROW = re.compile(r"^\| `([\w/.]+)` \|.*\| (\d+) of (\d+) \|$", re.MULTILINE)


def stated(page: str) -> dict[str, int]:
    """Part ↦ how many of its branches are not taken, as the page says."""
    return {part: int(every) - int(taken) for part, taken, every in ROW.findall(page)}


def counted(
    files: Mapping[str, Mapping[str, Any]], parts: Iterable[str]
) -> dict[str, tuple[int, int]]:
    """Part ↦ how many branches were taken, and how many there are."""
    found = dict.fromkeys(parts, (0, 0))
    for name, facts in files.items():
        inner = name.partition("src/leastnoise/")[2]
        part = next(each for each in found if f"{inner}/".startswith(f"{each}/"))
        taken, every = found[part]
        summary = facts["summary"]
        found[part] = taken + summary["covered_branches"], every + summary["num_branches"]
    return found


def main() -> int:
    """Print the figures; 1 if a part has more branches that no test takes than the page says."""
    allowed = stated(PAGE.read_text("utf-8"))
    files = json.loads(MEASURED.read_text("utf-8"))["files"]
    worse = False
    for part, (taken, every) in counted(files, allowed).items():
        worse |= every - taken > allowed[part]
        verdict = "" if every - taken <= allowed[part] else f"   the page says {allowed[part]} not"
        print(f"{part:<20}{taken:>6} of {every}{verdict}")
    return int(worse)


if __name__ == "__main__":
    sys.exit(main())
