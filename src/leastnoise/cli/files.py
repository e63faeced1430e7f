"""Reading and writing small public files, with errors a person can act on."""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from leastnoise._check import refuse
from leastnoise.errors import InvalidParameter, LeastNoiseError
from leastnoise.randomness.source import checked_source

_MOST_BYTES = 1 << 28  # read as a whole


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        InvalidParameter: there is no such file, it is too large, or it is not text.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)  # some files have no end
        if len(content) <= _MOST_BYTES:
            return content.decode()
    except UnicodeDecodeError:
        raise refuse(f"{path} must be text", "other bytes", "Is it the right file?") from None
    except IsADirectoryError:
        raise refuse(f"{path} must be a file", "a folder", "Name a file in it.") from None
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse(f"{path} must be readable", reason, "Check the path.") from None
    raise refuse(f"{path} must be at most 256 MiB", "a larger file", "Is it the right one?")


Content = Callable[[], str | bytes]
"""What goes into a file, made when its turn comes."""


def write_together(
    folder: Path, first: str, text: str, others: Mapping[str, Content]
) -> dict[str, str]:
    """Write files that belong together, the first one first, and a list of them.

    The first is safe on the disk before anything else happens; its name ends in .part until the
    files of an earlier set are gone, so that none of these ever stands beside it. The others are
    made after that: what fails does not take anything else with it.

    Returns:
        What is not as it should be: the names of files, each with the reason.

    Raises:
        InvalidParameter: the first cannot be written; what there is of it ends in .part.
    """
    from leastnoise.cli.manifest import listed  # noqa: PLC0415 - only drawing needs it

    part = folder / f"{first}.{_new_name()}"
    content = text.encode()
    with _writing(folder / first):
        with _removed_if_it_fails(part):
            _write(part, content)
        _sync_folder(folder)
        stayed = _cleared(folder, {*listed(folder), *others, *_parts(folder, first)} - {part.name})
        os.replace(part, folder / first)
        _sync_folder(folder)
    made, missing = _made(others)
    return stayed | missing | _written(folder, {first: content}, made)


def _cleared(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Remove the files of an earlier set; those that stay, each with the reason."""
    stayed = {}
    for name in names:
        try:
            (folder / name).unlink(missing_ok=True)
        except OSError as failure:
            stayed[name] = f"an earlier one could not be removed: {_reason(failure)}"
    return stayed


def _made(others: Mapping[str, Content]) -> tuple[dict[str, bytes], dict[str, str]]:
    made, missing = {}, {}
    for name, make in others.items():
        try:
            content = make()
        except Exception as failure:  # whatever it is, the other files shall be there
            missing[name] = _reason(failure)
        else:
            made[name] = content.encode() if isinstance(content, str) else content
    return made, missing


def _written(
    folder: Path, first: Mapping[str, bytes], others: Mapping[str, bytes]
) -> dict[str, str]:
    """Write the list, and what it lists: a file that is not listed would never be cleared away."""
    from leastnoise.cli.manifest import MANIFEST, manifest_text  # noqa: PLC0415 - only drawing needs it

    try:
        write_text(folder / MANIFEST, manifest_text({**first, **others}))
    except InvalidParameter as failure:
        return dict.fromkeys([MANIFEST, *others], str(failure))
    missing = {}
    for name, content in others.items():
        try:
            write_whole(folder / name, content)
        except InvalidParameter as failure:
            missing[name] = str(failure)
    return missing


def _reason(failure: Exception) -> str:
    if isinstance(failure, OSError):
        return (failure.strerror or "an error").lower()
    return str(failure) if isinstance(failure, LeastNoiseError) else type(failure).__name__


def earlier_release(folder: Path, first: str) -> str | None:
    """A file that shows that a folder holds a release, or what is left of one; None if none."""
    from leastnoise.cli.manifest import MANIFEST  # noqa: PLC0415 - only drawing needs it

    names = [first, MANIFEST, *_parts(folder, first)]
    return next((name for name in names if os.path.lexists(folder / name)), None)


def _parts(folder: Path, first: str) -> list[str]:
    """What a process left that was killed while it wrote."""
    return sorted(path.name for path in folder.glob(f"{first}.*.part"))


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
    part = path.with_name(f".{_new_name()}")
    with _writing(path), _removed_if_it_fails(part):
        _write(part, content)
        os.replace(part, path)
        _sync_folder(path.parent)  # the name, too


def _new_name() -> str:
    return f"{checked_source(None).bits(128):032x}.part"


@contextmanager
def _removed_if_it_fails(part: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        part.unlink(missing_ok=True)
        raise


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
def alone_in(folder: Path) -> Iterator[None]:
    """Waits for others who write into this folder, which is made; a process that dies lets go.

    Folders that were made for this and are empty at the end are taken away again.

    Raises:
        InvalidParameter: the folder cannot be made, or nothing can be written there.
    """
    with _writing(folder):
        number, made = _locked(folder)
    try:
        yield
    finally:
        with suppress(OSError):  # one of them holds something by now, as it should
            for each in made:
                each.rmdir()
        os.close(number)


def _locked(folder: Path) -> tuple[int, list[Path]]:
    """The open folder, and which folders were made for it, the innermost first."""
    while True:
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        _make(folder)
        probe = folder / f".{_new_name()}"
        with _removed_if_it_fails(probe):
            _write(probe, b"?")
        probe.unlink()
        number = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(number, fcntl.LOCK_EX)
        except OSError:  # some network folders cannot be locked: others may wait to write there
            return number, []
        if _is_open(folder, number):
            return number, made
        os.close(number)  # whoever had it took it away


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise refuse(
            f"{folder} must be a folder",
            "a file there or above it",
            "Move the file away, or name another folder.",
        ) from None


def _is_open(folder: Path, number: int) -> bool:
    try:
        return os.path.samestat(folder.stat(), os.fstat(number))
    except FileNotFoundError:
        return False


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse(f"{path} must be writable", reason, "Check the folder.") from None


def refuse_unwritable(path: Path) -> None:
    """Checks, before a charge, that a file that is not there yet can be written.

    Raises:
        InvalidParameter: something is there, or nothing can be written in its folder.
    """
    if path.exists() or path.is_symlink():
        raise refuse(
            f"{path} must not exist yet",
            f"a {'folder' if path.is_dir() else 'file'}; nothing was charged",
            "Move it away, or name another.",
        )
    probe = path.with_name(f".{_new_name()}")
    with _writing(path), _removed_if_it_fails(probe):
        _write(probe, b"?")
        probe.unlink()


def write_new_text(path: Path, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        InvalidParameter: it is there, or it cannot be written.
    """
    if path.exists() or path.is_symlink():
        raise refuse(f"{path} must not exist yet", "a file", "Move it away, or name another.")
    with _writing(path):
        part = path.with_name(f".{_new_name()}")
        try:
            _write(part, text.encode())
            os.link(part, path)  # fails if somebody was faster
        finally:
            part.unlink(missing_ok=True)
