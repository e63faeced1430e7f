"""Statements with variables of a DuckDB connection in the place of bound values."""

import re

from leastnoise.release.measure.sql.fragment import Fragment

_QUOTED = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*')""")


def with_variables(query: Fragment) -> str:
    """A query's text with the variables leastnoise_0, … in the place of its markers."""
    pieces, count = [], 0
    for piece in _QUOTED.split(query.text):
        parts = [piece] if _QUOTED.fullmatch(piece) else piece.split("?")
        for part in parts[:-1]:
            pieces += [part, f"getvariable('leastnoise_{count}')"]
            count += 1
        pieces.append(parts[-1])
    assert count == len(query.parameters), "a name that is not quoted has a marker in it"
    return "".join(pieces)
