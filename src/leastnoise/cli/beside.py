"""Releases beside each other: release, release-2, release-3, …; each in a folder of its own."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from leastnoise.cli.files import earlier_release
from leastnoise.ledger.place import store_of
from leastnoise.release.file.anchor import noted_ledger


def next_folder(first: Path, plan: Path, kept: str) -> Path:
    """Where the next release goes: the folder itself if it holds none yet, else one beside it.

    Args:
        first: the folder that the plan names.
        plan: the plan's file; next to it, if the plan names its own folder.
        kept: the file that every release has.
    """
    if earlier_release(first, kept) is None:
        return first
    return next(each for each in _numbered(first, plan) if not os.path.lexists(each))


def used_folders(first: Path, plan: Path, ledger: str | Path) -> list[Path]:
    """The folder that the plan names, and those beside it that were charged to its ledger.

    Numbers may be missing among them: people take folders away. Folders of other plans may have
    such names, too: if they are about other ledgers of other names, they do not count.
    """
    home, name = _named(first, plan)
    try:
        found = sorted(each for each in home.iterdir() if _is_number(each.name, f"{name}-"))
    except OSError:
        found = []
    ours = {store_of(ledger).name, *noted_ledger(first)}
    return [first, *(each for each in found if ours.intersection(noted_ledger(each)))]


def _is_number(name: str, start: str) -> bool:
    return name.startswith(start) and name.removeprefix(start).isdecimal()


def _numbered(first: Path, plan: Path) -> Iterator[Path]:
    home, name = _named(first, plan)
    return (home / f"{name}-{number}" for number in count(2))


def _named(first: Path, plan: Path) -> tuple[Path, str]:
    inside = first.resolve() == plan.parent.resolve()
    return (first, "release") if inside else (first.parent, first.name)
