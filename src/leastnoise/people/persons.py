"""Whoever is protected, called what readers call them."""

import re

_SPOKEN_OF = re.compile(r"(\b(?:The number of|a|one|each|that|how many)|\d|% of) unit(s?)\b")
"""Where words with names in them speak of a unit; a column of that name is spoken of otherwise."""
_UNIT = re.compile(r"\bunit(s?)\b")


def person(name: str, unit: str | None) -> str:
    """What to call whoever is protected.

    Args:
        name: what a publication calls them; empty if it does not say.
        unit: the column that tells them apart; None if each row is one.

    Example:
        >>> person("", "patient_id"), person("client", "patient_id"), person("", None)
        ('patient', 'client', 'row')
    """
    if name:
        return name
    return "row" if unit is None else unit.removesuffix("_id").replace("_", " ")


def called(words: str, who: str) -> str:
    """Words about a question, in which columns may have any name.

    Example:
        >>> called("The number of units; all groups of a unit count.", "patient")
        'The number of patients; all groups of a patient count.'
        >>> called("units by city: shown from 1,200 units on", "patient")
        'units by city: shown from 1,200 patients on'
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
