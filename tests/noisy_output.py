"""What pages show of runs that draw noise: real output, but its drawn numbers differ each time."""

import re

NOTE = "# your numbers will differ"
"""Stands in an example whose output holds noise; readers see it too."""

_EACH_TIME = (
    (re.compile(r"\b[0-9a-f]{8} … [0-9a-f]{8}\b|\b[0-9a-f]{64}\b"), "SEAL"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b"), "TIME"),
    (re.compile(r"\bDone in .*?:"), "Done:"),
)
_NUMBER = re.compile(r"[−-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_KNOWN_BEFORE = re.compile("[εδρ]")


def without_noise(text: str, *, drawn: bool = True) -> list[str]:
    """Lines without what differs each time: seals and times, and answers if they are drawn.

    A line about the budget keeps its numbers.
    """
    for pattern, word in _EACH_TIME:
        text = pattern.sub(word, text)
    lines = [" ".join(line.split()) for line in text.strip().splitlines()]
    return [
        _NUMBER.sub("#", line) if drawn and not _KNOWN_BEFORE.search(line) else line
        for line in lines
    ]


def alike(wanted: str, got: str, *, drawn: bool = True) -> bool:
    """Whether two outputs differ in nothing but what differs each time."""
    return without_noise(wanted, drawn=drawn) == without_noise(got, drawn=drawn)
