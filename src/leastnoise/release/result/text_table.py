"""Tables as plain text, columns in line."""

from collections.abc import Iterable, Sequence


def text_table(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_line(line, widths) for line in lines)


def plain_number(value: float) -> str:
    """Six digits, and never fewer than the whole part has."""
    return f"{value:.6g}" if not abs(value) >= 10**6 else f"{value:.0f}"


def _line(cells: Iterable[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
