"""Releases beside each other: release, release-2, release-3, …; each in a folder of its own."""

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from leastnoise.cli.files import earlier_release


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


def used_folders(first: Path, plan: Path) -> Iterator[Path]:
    """The folder that the plan names, and those beside it that are there."""
    yield first
    for each in _numbered(first, plan):
        if not each.is_dir():
            return
        yield each


def _numbered(first: Path, plan: Path) -> Iterator[Path]:
    inside = first.resolve() == plan.parent.resolve()
    home, name = (first, "release") if inside else (first.parent, first.name)
    return (home / f"{name}-{number}" for number in count(2))
