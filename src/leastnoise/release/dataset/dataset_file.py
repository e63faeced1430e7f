"""`dataset`: a description of data, from a file, from a mapping, or in Python's own words."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leastnoise.release.dataset.dataset import Dataset


def dataset_file(text: str, beside: Path, name: str = "dataset") -> Dataset:
    """Read a dataset's description; paths in it are relative to its own folder."""
    raise NotImplementedError


def dataset(said: str | Path | Mapping[str, Any]) -> Dataset:
    """A dataset from the file that describes it, or from a mapping with the same words."""
    raise NotImplementedError
