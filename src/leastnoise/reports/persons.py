"""Whoever is protected, called what readers call them."""

import re

from leastnoise.release.result.release_facts import ReleaseFacts

_SPOKEN_OF = re.compile(r"\b(The number of|a|one|each|that) unit(s?)\b")
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
    return _SPOKEN_OF.sub(lambda found: f"{found[1]} {_named(who, found[2])}", words)


def called_throughout(words: str, who: str) -> str:
    """Words that name no column.

    Example:
        >>> called_throughout("99 % of units count in full", "patient")
        '99 % of patients count in full'
        >>> called_throughout("99 % of units", "family"), called_throughout("a unit", "bus stop")
        ('99 % of families', 'a bus stop')
    """
    return _UNIT.sub(lambda found: _named(who, found[1]), words)


def _named(who: str, several: str) -> str:
    """One of them, or several; a unit, if the name is no plain words."""
    if not who.replace(" ", "").isalpha():
        return f"unit{several}"
    return plural(who) if several else who


def plural(noun: str) -> str:
    """Several of something, by the usual rules of English.

    Example:
        >>> [plural(each) for each in ("patient", "company", "survey", "business", "person")]
        ['patients', 'companies', 'surveys', 'businesses', 'people']
    """
    if noun.endswith("person"):
        return f"{noun.removesuffix('person')}people"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(s|x|z|ch|sh)$", noun) else f"{noun}s"
