"""Whoever is protected, called what readers call them."""

import re

from leastnoise.release.result.release_facts import ReleaseFacts

_SPOKEN_OF = re.compile(r"\b(number of|a|one|each|that) unit(s?)\b")
"""Where words with names in them speak of a unit; a column of that name is spoken of otherwise."""
_UNIT = re.compile(r"\bunit(s?)\b")


def person(facts: ReleaseFacts) -> str:
    """What to call whoever is protected."""
    if facts.publication.unit_name:
        return facts.publication.unit_name
    if facts.unit is None:
        return "row"
    return facts.unit.removesuffix("_id").replace("_", " ")


def called(words: str, who: str) -> str:
    """Words about a question, in which columns may have any name.

    Example:
        >>> called("The number of units; all groups of a unit count.", "patient")
        'The number of patients; all groups of a patient count.'
    """
    return _SPOKEN_OF.sub(rf"\1 {who}\2", words) if who.isalpha() else words


def called_throughout(words: str, who: str) -> str:
    """Words that name no column.

    Example:
        >>> called_throughout("99 % of units count in full", "patient")
        '99 % of patients count in full'
    """
    return _UNIT.sub(rf"{who}\1", words) if who.isalpha() else words
