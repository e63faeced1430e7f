"""A certificate from JSON that may come from anyone: read strictly, never executed."""

import json
import re
from fractions import Fraction
from typing import Any

from leastnoise.certificates.described_law import (
    CanonicalNoise,
    CutSteps,
    DescribedLaw,
    Steps,
    WeightTable,
)
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.to_text import FORMAT
from leastnoise.certificates.witness import Dual, Multipliers, Rounded, Theorem, Witness
from leastnoise.errors import CertificateRejected, InvalidParameter
from leastnoise.numeric.cost import Cost, Moment, TabulatedCost, TailProbability

_NUMBER = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)
_MOST_CHARACTERS = 1 << 26  # a stranger's text must not fill the memory
_MOST_PLACES = 1 << 22  # for the same reason
_MOST_BITS = 1 << 14
_MOST_REFERENCE = 1000
_MOST_CLAIM = 1 << 16  # a sentence names a few numbers of up to 4000 digits each
_DUAL = ("level", "bits", "rows")
_FIELDS = (
    "format", "claim", "problem", "achieved", "bound", "law", "witness", "reference",
)  # fmt: skip


def certificate_parts(text: str) -> dict[str, Any]:
    """The fields of a certificate.

    Raises:
        CertificateRejected: not the text of a certificate.
    """
    if len(text) > _MOST_CHARACTERS:
        raise _rejected("a text of reasonable length")
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except CertificateRejected:
        raise
    except (ValueError, RecursionError):
        raise _rejected("JSON") from None
    try:
        return _parts(data)
    except (KeyError, TypeError, AttributeError, ZeroDivisionError, InvalidParameter):
        raise _rejected("all fields of a certificate, each of its own type") from None


def _rejected(wanted: str) -> CertificateRejected:
    return CertificateRejected(
        f"a certificate must be {wanted}; got something else. Publish what `to_json` writes."
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Readers differ in which of two fields of one name they take.
    if len(dict(pairs)) == len(pairs):
        return dict(pairs)
    raise _rejected("an object in which every field is given once")


def _parts(data: dict[str, Any]) -> dict[str, Any]:
    if data["format"] != FORMAT:
        raise _rejected(f"in the format '{FORMAT}'")
    _only(data, *_FIELDS)
    return {
        "problem": _problem(data["problem"]),
        "law": _law(data["law"]),
        "achieved": _number(data["achieved"]),
        "bound": _number(data["bound"]),
        "witness": _witness(data["witness"]),
        "words": (
            _words(data.get("claim", ""), _MOST_CLAIM),
            _words(data["reference"], _MOST_REFERENCE),
        ),
    }


def _only(data: dict[str, Any], *known: str) -> None:
    """No other fields: nobody would have checked what they say."""
    if not set(data) <= set(known):
        raise _rejected(f"one with no other fields than {', '.join(known)}")


def _number(text: Any) -> Fraction:
    if isinstance(text, str) and _NUMBER.fullmatch(text):
        return Fraction(text)
    raise TypeError


def _words(text: Any, most: int) -> str:
    # They are never shown; yet no line of their own, and nothing a terminal obeys.
    if isinstance(text, str) and text.isprintable() and len(text) <= most:
        return text
    raise TypeError


def _integer(value: Any, least: int, most: int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise TypeError


def _place(value: Any) -> int:
    return _integer(value, -_MOST_PLACES, _MOST_PLACES)


def _numbers(values: Any) -> tuple[Fraction, ...]:
    if isinstance(values, list) and len(values) <= _MOST_PLACES:
        return tuple(_number(value) for value in values)
    raise TypeError


def _integers(values: Any) -> tuple[int, ...]:
    return tuple(_whole(value) for value in _numbers(values))


def _whole(value: Fraction) -> int:
    if value.denominator == 1:
        return value.numerator
    raise TypeError


def _problem(data: dict[str, Any]) -> Problem:
    _only(data, "sensitivity", "epsilon", "delta", "step", "cost")
    step = _number(data["step"])
    return Problem(
        sensitivity=_integer(data["sensitivity"], 1, 2**62),
        epsilon=_number(data["epsilon"]),
        delta=_number(data["delta"]),
        cost=_cost(data["cost"], step),
        step=step,
    )


def _cost(data: dict[str, Any], step: Fraction) -> Cost:
    match data["kind"]:
        case "moment":
            _only(data, "kind", "order")
            return Moment(_number(data["order"]))
        case "tail":
            _only(data, "kind", "threshold")
            return TailProbability(_number(data["threshold"]))
        case "table":
            _only(data, "kind", "values")
            values = _numbers(data["values"])
            if values and list(values) == sorted(values) and values[0] >= 0:
                return TabulatedCost(values, step)
    raise TypeError


def _law(data: dict[str, Any]) -> DescribedLaw:
    match data["kind"]:
        case "table":
            _only(data, "kind", "weights")
            return WeightTable(_integers(data["weights"]))
        case "staircase":
            _only(data, "kind", "width")
            return Steps(_integer(data["width"], 1, 2**62))
        case "cut staircase":
            _only(data, "kind", "width", "radius")
            width = _integer(data["width"], 1, 2**62)
            return CutSteps(width, _integer(data["radius"], 0, 2**62))
        case "canonical":
            _only(data, "kind")
            return CanonicalNoise()
    raise TypeError


def _witness(data: dict[str, Any]) -> Witness:
    match data["kind"]:
        case "dual":
            _only(data, "kind", *_DUAL)
            return _dual(data)
        case "rounded":
            _only(data, "kind", "sensitivity", "step", *_DUAL)
            sensitivity = _integer(data["sensitivity"], 1, _MOST_PLACES)
            return Rounded(sensitivity, _number(data["step"]), _dual(data))
        case "theorem":
            _only(data, "kind", "name", "statement")
            theorem = Theorem[data["name"]]
            if data.get("statement", theorem.value) != theorem.value:
                raise _rejected("one whose theorem is stated as it is")
            return theorem
    raise TypeError


def _dual(data: dict[str, Any]) -> Dual:
    rows = tuple(_multipliers(row) for row in data["rows"])
    return Dual(_number(data["level"]), _integer(data["bits"], 0, _MOST_BITS), rows)


def _multipliers(row: dict[str, Any]) -> Multipliers:
    _only(row, "shift", "first", "values", "beyond")
    return Multipliers(
        shift=_integer(row["shift"], 1, _MOST_PLACES),
        first=_place(row["first"]),
        values=_integers(row["values"]),
        beyond=_whole(_number(row["beyond"])),
    )
