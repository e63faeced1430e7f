"""Ends what a cluster has started once none of those who use it lives, however they ended.

Those who use it share a lock on a file, which the system takes back from processes that are killed.
A process of its own waits for the lock that nobody shares.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def in_use(lock: Path) -> Iterator[None]:
    """Tells the watching process that somebody lives who uses what it watches."""
    with open(lock, "a", encoding="utf-8") as file:  # children do not inherit it
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def watch(lock: Path, folder: str, processes: Sequence[int]) -> int:
    """Starts the process that waits, and tells its number; the lock must be in use already.

    Args:
        lock: what those who use the processes share.
        folder: removed with the processes.
        processes: each leads a session of its own.
    """
    started = subprocess.Popen(
        [sys.executable, __file__, str(lock), folder, *map(str, processes)],
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    started.returncode = 0  # ended by `end`, not by this object
    return started.pid


def end(processes: Sequence[int], folder: str) -> None:
    """Ends the sessions that processes lead, and removes what they left."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
    for process in processes:
        with suppress(ChildProcessError):
            os.waitpid(process, 0)
    shutil.rmtree(folder, ignore_errors=True)


def _wait(lock: str, folder: str, *processes: str) -> None:
    with open(lock, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        end([int(each) for each in processes], folder)


if __name__ == "__main__":
    _wait(*sys.argv[1:])
