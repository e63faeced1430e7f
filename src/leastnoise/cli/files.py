"""Reading and writing small public files, with errors a person can act on."""

from pathlib import Path

from leastnoise._check import refuse

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


def write_text(path: Path, text: str) -> None:
    """Write all of the text, or leave what was there."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, "utf-8")
        part.replace(path)
    except OSError as failure:
        part.unlink(missing_ok=True)
        reason = (failure.strerror or "an error").lower()
        raise refuse(f"{path} must be writable", reason, "Check the folder.") from None
