"""Data files in the folder of the page: names to pick, and what tells one from another."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENDINGS = (".csv", ".csv.gz", ".tsv", ".parquet")
_MOST = 200  # names on a page


def data_files(folder: Path) -> dict[str, Any]:
    """The data files in the folder of the page, and what it is called; nothing is read of them.

    A file that is dropped is one of them if its name, its size and its time are the same.
    """
    try:
        found = sorted(_files(folder), key=lambda each: str(each["name"]))
    except OSError:
        found = []
    return {"folder": str(folder.resolve()), "files": found[:_MOST]}


def _files(folder: Path) -> Iterator[dict[str, Any]]:
    for each in folder.iterdir():
        named = each.name.lower().endswith(ENDINGS) and not each.name.startswith(".")
        if named and each.is_file():
            facts = each.stat()
            modified = facts.st_mtime_ns // 1_000_000  # milliseconds, as browsers have it
            yield {"name": each.name, "size": facts.st_size, "modified": modified}
