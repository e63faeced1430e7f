"""Writing a file all at once."""

from pathlib import Path

from leastnoise._check import refuse


def write_whole(path: Path, content: bytes) -> None:
    """Write all of it, or leave what was there.

    Raises:
        InvalidParameter: the place cannot be written to.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise refuse(f"{path} must be writable", reason, "Check the folder.") from None
    finally:
        part.unlink(missing_ok=True)
