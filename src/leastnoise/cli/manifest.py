"""`manifest.json`: which files of a folder belong to its release, each with its fingerprint."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

MANIFEST = "manifest.json"
_FORMAT = "leastnoise files 1"
_MOST_BYTES = 1 << 24  # read as a whole
# A list that somebody else wrote must not make us remove anything but what we might have written.
_OURS = re.compile(
    r"\d{2,}_[^/\0]*\.(csv|json|parquet)|certificate_[0-9a-f]{12}\.json|report\.html"
    r"|dataset\.json|csv-metadata\.json|registry\.yaml"
)


def manifest_text(files: Mapping[str, bytes]) -> str:
    """The list of these files.

    Example:
        >>> json.loads(manifest_text({"report.html": b"page"}))["files"]["report.html"][:8]
        '3660315a'
    """
    prints = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return json.dumps({"format": _FORMAT, "files": prints}, ensure_ascii=False, indent=1)


def listed(folder: Path) -> list[str]:
    """The files beside release.json that the release in a folder consists of, by its list."""
    try:
        with (folder / MANIFEST).open("rb") as file:
            names = list(json.loads(file.read(_MOST_BYTES))["files"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str) and _OURS.fullmatch(name)]
