"""Files that take the place of no other one, unless that is said."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from leastnoise import _check
from leastnoise.randomness.source import checked_source


def write_new_file(path: str | Path, content: bytes | Iterable[bytes], *, replace: bool) -> None:
    """Writes all of it, or nothing; content may come in parts.

    Raises:
        InvalidParameter: there is such a file and it is not to be replaced, or none can be made.
    """
    place = _checked(path)
    part = place.with_name(f".{checked_source(None).bits(128):032x}.part")
    try:
        with part.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
        if replace:
            os.replace(part, place)
        else:
            os.link(part, place)  # fails if there is one, even one of this moment
    except FileExistsError:
        raise _check.refuse(
            "a file must not take the place of another one",
            f"{place.name!r}, which is there",
            "Name another, or say replace=True.",
        ) from None
    except OSError as failure:
        reason = (failure.strerror or "an error").lower()
        raise _check.refuse(
            f"{place.name!r} must be writable", reason, "Check the folder."
        ) from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _checked(path: str | Path) -> Path:
    try:
        place = Path(path)
    except TypeError:
        place = Path()
    if not place.name or "\0" in str(place):
        raise _check.refuse("a path must name a file", _check.shown(path), "Write 'release.json'.")
    return place
