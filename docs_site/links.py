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
_SOURCE = re.compile(r'\b(src|srcset)="(?![a-z]+:)([^"#\s]+)"')
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Points relative links at where the site has their targets."""
    here = page.file.src_uri
    origin = {site: name for name, site in PROJECT_FILES.items()}
    folder = posixpath.dirname(origin.get(here, f"docs/{here}"))

    def moved(link: str) -> str:
        target = posixpath.normpath(posixpath.join(folder, link))
        place = PROJECT_FILES.get(target, target.removeprefix("docs/"))
        if place == target and not target.startswith("docs/"):
            return link
        return posixpath.relpath(place, posixpath.dirname(here) or ".")

    markdown = _SOURCE.sub(lambda found: f'{found[1]}="{moved(found[2])}"', markdown)
    return _LINK.sub(lambda found: f"]({moved(found[1])}{found[2] or ''})", markdown)
