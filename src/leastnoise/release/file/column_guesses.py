"""What columns seem to be, guessed from their names alone: for people to check, never to rely on.

No value is looked at. A wrong guess of a type makes fields missing, which `unparsed` counts.
"""

import re

from leastnoise.release.ask.column_type import ColumnType
from leastnoise.release.ask.schema import Schema

PEOPLE = (
    "patient", "person", "people", "user", "member", "customer", "client", "citizen", "resident",
    "student", "pupil", "employee", "worker", "respondent", "participant", "subscriber", "taxpayer",
    "household", "family",
)  # fmt: skip
"""What tables call those whom they are about."""
_NUMBERS = frozenset({"id", "uuid", "key", "code", "nr", "no", "number", "account"})
_IDS = frozenset({"id", "uuid", "key", "code", "nr", "no", "zip", "postcode", "phone", "account"})
_WORDS = {
    ColumnType.MOMENT: "timestamp datetime at",
    ColumnType.DATE: "date dates day dob born birthday birthdate on",
    ColumnType.TRUTH: "is has was did flag smoker insured diabetic married active employed",
    ColumnType.INTEGER: "age ages year month week hour count counts number num n visits children "
    "rooms quantity size items days hours rank",
    ColumnType.NUMBER: "cost costs price amount income salary wage revenue weight height length "
    "distance duration rate ratio share percent score temperature total sum value lat lon balance",
}
_TYPES = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def guessed_unit(schema: Schema) -> str | None:
    """The column that seems to say whose row it is; None if no name says so.

    What was seen of a person, and an `id` of nobody knows what, do not: a wrong column protects
    something else than people.
    """
    able = [name for name, kind in schema.columns if kind.can_be_unit]
    return next((name for word in PEOPLE for name in able if _names(name, word)), None)


def _names(name: str, person: str) -> bool:
    """Whether a name is that of a person, or of the number that one has.

    Example:
        >>> [_names(name, "user") for name in ("user", "user_id", "userNo", "UserID")]
        [True, True, True, True]
        >>> [_names(name, "user") for name in ("user_zip", "age_of_user", "visit_id", "id")]
        [False, False, False, False]
    """
    first, *others = _words(name)
    return (first == person and _NUMBERS.issuperset(others)) or name.lower() == f"{person}id"


def guessed_type(name: str) -> ColumnType:
    """What a column of a text file seems to hold; text, if nothing suggests itself.

    Example:
        >>> [guessed_type(name).value for name in ("age", "total_cost", "patient_id", "isSmoker")]
        ['integer', 'number', 'text', 'truth']
        >>> [guessed_type(name).value for name in ("visit_date", "created_at", "city")]
        ['date', 'moment', 'text']
    """
    if is_id(name):
        return ColumnType.TEXT
    found = [_TYPES[word] for word in _words(name) if word in _TYPES]
    if not found:
        return ColumnType.TEXT
    return found[0] if found[0] is ColumnType.TRUTH else found[-1]


def is_id(name: str) -> bool:
    """Whether a column seems to name things, so that its mean or sum says nothing.

    Example:
        >>> is_id("patient_id"), is_id("orderNo"), is_id("paid")
        (True, True, False)
    """
    return not _IDS.isdisjoint(_words(name)[-1:]) or name.lower() in {f"{p}id" for p in PEOPLE}


def _words(name: str) -> list[str]:
    """The words of a name: birth_date, birthDate and birth-date have the same two."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.split(r"[^a-z0-9]+", apart.lower().strip())
