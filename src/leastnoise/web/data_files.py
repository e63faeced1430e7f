"""Files that may be picked: their names, as a browser does not tell where a dropped file lies."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENDINGS = (".csv", ".csv.gz", ".tsv", ".parquet")
_MOST = 200  # names on a page


def data_files(folder: Path) -> dict[str, Any]:
    """The names of data files in the folder of the page, and what it is called; nothing is read."""
    try:
        names = sorted(_names(folder))
    except OSError:
        names = []
    return {"folder": str(folder.resolve()), "files": names[:_MOST]}


def _names(folder: Path) -> Iterator[str]:
    for each in folder.iterdir():
        if each.name.lower().endswith(ENDINGS) and not each.name.startswith("."):
            yield each.name
