"""`FileStates`: whether files are still the ones that were looked at first."""

import os
from collections.abc import Iterable

from leastnoise.errors import BackendError

State = tuple[int, int, int, int, int] | None


class FileStates:
    """Which files there were under some paths, how long, and when last changed.

    A change that keeps a file's size and falls into the same tick of the file system's clock as the
    one before cannot be seen.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._states = {path: _state(path) for path in paths}

    def refuse_changed(self) -> None:
        """Checks that every file is the same, and as it was.

        Raises:
            BackendError: one was replaced, changed, removed or added.
        """
        if any(_state(path) != before for path, before in self._states.items()):
            raise BackendError(
                "files must not change while they are read; one did, and nothing was charged. "
                "Release from a copy, or once the file is complete."
            )


def _state(path: str) -> State:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
