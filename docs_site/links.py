"""Links between pages and the project's own files, as the site has them."""

import posixpath
import re
from typing import Any

PROJECT_FILES = {
    "README.md": "project/README.md",
    "CONTRIBUTING.md": "project/CONTRIBUTING.md",
    "CHANGELOG.md": "project/CHANGELOG.md",
    "SECURITY.md": "project/SECURITY.md",
    "LICENSE": "project/LICENSE.md",
    "benchmarks/README.md": "project/benchmarks.md",
}
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Points relative links at where the site has their targets."""
    here = page.file.src_uri
    origin = {site: name for name, site in PROJECT_FILES.items()}
    folder = posixpath.dirname(origin.get(here, f"docs/{here}"))

    def moved(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, found.group(1)))
        anchor = found.group(2) or ""
        place = PROJECT_FILES.get(target, target.removeprefix("docs/"))
        if place == target and not target.startswith("docs/"):
            return f"]({found.group(1)}{anchor})"
        return f"]({posixpath.relpath(place, posixpath.dirname(here) or '.')}{anchor})"

    return _LINK.sub(moved, markdown)
