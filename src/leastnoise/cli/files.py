"""Reading and writing small public files, with errors a person can act on."""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from leastnoise._check import refuse
from leastnoise.randomness.source import checked_source

_MOST_BYTES = 1 << 28


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        InvalidParameter: there is no such file, it is too large, or it is not text.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise refuse(f"{path} must be at most 256 MiB", "a larger file", "Is it the right one?")
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise refuse(f"{path} must be text", "something else", "Is it the right file?") from None
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse(f"{path} must be readable", reason, "Check the path.") from None


Content = Callable[[], str | bytes]
"""What goes into a file, made when its turn comes."""


def write_together(folder: Path, first: str, text: str, others: Mapping[str, Content]) -> None:
    """Write files that belong together, the first one first.

    Whatever interrupts it, none of the others is left from an earlier set beside the new first
    one: they are gone before it comes. Sets written at the same time follow one another. The
    others are made after the first is safe: if that fails, it stays.

    Raises:
        InvalidParameter: the folder cannot be written.
    """
    with _alone_in(folder):
        for name in others:
            with _writing(folder / name):
                (folder / name).unlink(missing_ok=True)
        write_text(folder / first, text)
        for name, made in others.items():
            with _writing(folder / name):
                content = made()
            write_whole(folder / name, content.encode() if isinstance(content, str) else content)


def write_text(path: Path, text: str) -> None:
    """Write all of the text, or leave what was there; it is on the disk when this returns.

    Raises:
        InvalidParameter: the file cannot be written.
    """
    write_whole(path, text.encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write all of it, or leave what was there; it is on the disk when this returns.

    Raises:
        InvalidParameter: the file cannot be written.
    """
    # A name of its own: two writers of one file must not write into each other's half.
    part = path.with_name(f".{checked_source(None).bits(128):032x}.part")
    with _writing(path):
        try:
            _write(part, content)
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        _sync_folder(path.parent)  # the name, too


def _write(path: Path, content: bytes) -> None:
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        left = memoryview(content)
        while left:
            left = left[os.write(number, left) :]
        os.fsync(number)
    finally:
        os.close(number)


def _sync_folder(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Waits for others who write together into this folder; a process that dies lets go."""
    with _writing(folder):
        number = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network folders cannot be locked
            fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse(f"{path} must be writable", reason, "Check the folder.") from None


def write_new_text(path: Path, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        InvalidParameter: it is there, or it cannot be written.
    """
    if path.exists() or path.is_symlink():
        raise refuse(f"{path} must not exist yet", "a file", "Move it away, or name another.")
    with _writing(path):
        part = path.with_name(f".{checked_source(None).bits(128):032x}.part")
        try:
            _write(part, text.encode())
            os.link(part, path)  # fails if somebody was faster
        finally:
            part.unlink(missing_ok=True)
