"""`process_life`: a mark of this process that no forked child shares, however it was forked.

A process number is not enough: the first process of every PID namespace is number 1, so that a
child forked in C into a new namespace may have its parent's number.
"""

import mmap
import os
import sys

_WIPE_ON_FORK = 18  # MADV_WIPEONFORK of Linux 4.14, which Python's mmap does not name
_Life = tuple[object, ...]


def _wiped_page() -> mmap.mmap | None:
    """A page that the kernel hands to every child full of zeros, where there is such a thing."""
    if not sys.platform.startswith("linux"):
        return None
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        page.madvise(_WIPE_ON_FORK)
    except OSError:
        return None
    page[0] = 1
    return page


_page = _wiped_page()
_life: _Life = (os.getpid(), object())


def process_life() -> _Life:
    """Equal to an earlier answer in the same process, and to none of another process.

    It is asked at every draw, so it is one look at the page and one system call that costs less
    than a microsecond.
    """
    global _life
    if _page is None:
        return _described()
    # The order counts: who sees the mark set again must see the new life as well.
    if not _page[0] or _life[0] != os.getpid():
        _life = (os.getpid(), object())
        _page[0] = 1
    return _life


def _described() -> _Life:
    """Without such a page: number, start and namespace; only the number if there is no /proc."""
    try:
        with open("/proc/self/stat", encoding="ascii", errors="replace") as file:
            start = file.read().rpartition(")")[2].split()[19]
        return os.getpid(), start, os.readlink("/proc/self/ns/pid")
    except OSError:
        return (os.getpid(),)
