"""Values of JSON that may come from anyone: read strictly, never executed."""

import json
import re
from fractions import Fraction
from typing import Any

from leastnoise.errors import CertificateRejected, InvalidParameter

_NUMBER = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)
_MOST_CHARACTERS = 1 << 26  # a stranger's text must not fill the memory
WRONG_TYPES = (KeyError, TypeError, AttributeError, ZeroDivisionError, InvalidParameter)
"""What reading a field of another type raises."""


def read_object(text: str) -> Any:
    """The value of a text in which no field is given twice.

    Raises:
        CertificateRejected: another text.
    """
    if len(text) > _MOST_CHARACTERS:
        raise rejected("a text of reasonable length")
    try:
        return json.loads(text, object_pairs_hook=_once)
    except CertificateRejected:
        raise
    except (ValueError, RecursionError):
        raise rejected("JSON") from None


def rejected(wanted: str) -> CertificateRejected:
    """The refusal of a text that is no certificate."""
    return CertificateRejected(
        f"a certificate must be {wanted}; got something else. Publish what `to_json` writes."
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Readers differ in which of two fields of one name they take.
    if len(dict(pairs)) == len(pairs):
        return dict(pairs)
    raise rejected("an object in which every field is given once")


def only(data: dict[str, Any], *known: str) -> None:
    """No other fields: nobody would have checked what they say."""
    if not set(data) <= set(known):
        raise rejected(f"one with no other fields than {', '.join(known)}")


def number(text: Any) -> Fraction:
    """A rational, written as text."""
    if isinstance(text, str) and _NUMBER.fullmatch(text):
        return Fraction(text)
    raise TypeError


def words(text: Any, most: int) -> str:
    """Words that are compared. They are never shown; yet nothing in them that a terminal obeys."""
    if isinstance(text, str) and text.isprintable() and len(text) <= most:
        return text
    raise TypeError


def integer(value: Any, least: int, most: int) -> int:
    """A whole number within limits."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise TypeError
