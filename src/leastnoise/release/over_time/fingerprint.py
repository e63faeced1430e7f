r"""`fingerprint`: of public values, by what they say and not by how they print.

A schedule is known again by it for years, so that an upgrade may not change it: parts that are left
at their default are not in it, and a class may get new ones.
"""

import hashlib
import inspect
import json
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any

from leastnoise.release.ask.location import DuckDBRelation, Frame, PostgresTable, place_of


def fingerprint(*values: object) -> str:
    """A hash that differs if what is said differs.

    Raises:
        TypeError: a value of a kind that has no words.
    """
    said = json.dumps([_said(each) for each in values], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(said.encode()).hexdigest()


def _said(value: Any) -> Any:
    """A value as JSON, such that different ones differ."""
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, tuple | list):
        return [_said(each) for each in value]
    return {type(value).__name__: _inside(value)}


def _inside(value: Any) -> Any:
    """The same of a value whose class is said already."""
    found: Any
    match value:
        case Enum():
            found = value.name
        case int() | Fraction() | Decimal():
            found = str(value)
        case float():
            found = value.hex()
        case date():  # moments are dates too
            found = value.isoformat()
        case frozenset():
            found = sorted((_said(each) for each in value), key=json.dumps)
        case PostgresTable():
            found = place_of(value)  # without a password
        case Frame() | DuckDBRelation():
            found = _said(getattr(value, "declared", ()))  # not the data
        case _ if is_dataclass(value):
            found = _parts(value)
        case _:
            raise TypeError(f"a {type(value).__name__} has no words of its own")
    return found


def _parts(value: Any) -> dict[str, Any]:
    """The fields that are not at their default, by name."""
    kind: type = type(value)
    usual = _defaults(kind)
    found = {each.name: getattr(value, each.name) for each in fields(value)}
    return {
        name: _said(each)
        for name, each in sorted(found.items())
        if name not in usual or usual[name] != each
    }


@cache
def _defaults(kind: type) -> dict[str, Any]:
    """What fields are if nothing is said, by the class or by how it is made."""
    found = {}
    for each in fields(kind):
        if each.default is not MISSING:
            found[each.name] = each.default
        elif each.default_factory is not MISSING:
            found[each.name] = each.default_factory()
    said = inspect.signature(kind.__init__).parameters  # type: ignore[misc]
    return found | {
        name: each.default for name, each in said.items() if each.default is not each.empty
    }
