"""How much memory DuckDB may use before it spills to disk: little, unless somebody asks for more.

With the limit, the process as a whole stays below 500 MB on up to four threads, but for what very
long lists of groups take; docs/scale.md has what was measured, and what it costs. What does not fit
is done once more with as much as DuckDB takes by itself: one person's long text must not decide
whether there is a release.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from leastnoise import _check
from leastnoise.errors import BackendError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

VARIABLE = "LEASTNOISE_MEMORY"
MORE_MEMORY = (
    f"Give it more memory, such as {VARIABLE}=4GB in the environment, or more room for temporary "
    "files; TMPDIR says where they are."
)
OWN_LIMIT = 0
"""As much as DuckDB takes by itself, in the place of a number of bytes."""
_USUAL = 2**28
_OF_A_THREAD = 2**26  # with less than half of it, threads wait for each other's spilling
_FORM = re.compile(r"([1-9][0-9]{0,8}) ?(MB|GB)", re.IGNORECASE)
_UNITS = {"MB": 10**6, "GB": 10**9}
_LEAST = 100 * 10**6


class OutOfMemory(BackendError):
    """The usual limit was too low; more was not asked for."""


def asked_memory() -> int | None:
    """What the environment asks for, in bytes; None if it says nothing.

    Raises:
        InvalidParameter: it says something else than a size.
    """
    said = os.environ.get(VARIABLE, "").strip()
    if not said:
        return None
    found = _FORM.fullmatch(said)
    size = int(found[1]) * _UNITS[found[2].upper()] if found else 0
    if size < _LEAST:
        raise _check.refuse(
            f"the environment variable {VARIABLE} must be a size of at least 100MB",
            _check.shown(said),
            f"Write {VARIABLE}=512MB or {VARIABLE}=4GB, or unset it.",
        )
    return size


def set_usual_limit(connection: DuckDBPyConnection) -> None:
    """The usual limit: more on many threads, and never more than DuckDB would take by itself."""
    (found,) = connection.execute(
        "SELECT current_setting('threads'), parse_formatted_bytes(current_setting('memory_limit'))"
    ).fetchall()
    threads, most = map(int, found)
    limit = min(most, max(_USUAL, _OF_A_THREAD * threads))
    connection.execute(f"SET memory_limit = '{limit}B'")
