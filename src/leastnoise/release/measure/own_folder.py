"""`OwnFolder`: for temporary files, which may hold rows."""

import os
import weakref
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp


class OwnFolder:
    """A new folder for its owner alone, which goes with this object, or else with the process.

    A copy of the process has the object, too, and leaves the folder to its parent.

    Args:
        within: the folder around it; where temporary files are put if None.
        prefix: how its name begins.
    """

    def __init__(self, within: Path | None = None, prefix: str = "leastnoise-") -> None:
        self.path = Path(mkdtemp(prefix=prefix, dir=within))
        self._end = weakref.finalize(self, _removed, self.path, os.getpid())

    def remove(self) -> None:
        """With all that is in it."""
        self._end()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *error: object) -> None:
        self.remove()


def _removed(path: Path, process: int) -> None:
    if os.getpid() == process:
        rmtree(path, ignore_errors=True)
