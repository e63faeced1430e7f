"""Every page is in the navigation of the site, once. Building the site tells it too, slower."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAVIGATION = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
LISTED = re.findall(r"([\w/]+\.md)$", NAVIGATION, re.MULTILINE)
PAGES = sorted(str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_in_the_navigation_once(page: str) -> None:
    assert LISTED.count(page) == 1


def test_the_tabs_are_the_ones_that_people_look_for() -> None:
    assert re.findall(r"^  - (\w+):$", NAVIGATION, re.MULTILINE) == [
        "Start", "Tutorials", "Guides", "Theory", "Proofs", "Trust", "Reference", "Project",
    ]  # fmt: skip
