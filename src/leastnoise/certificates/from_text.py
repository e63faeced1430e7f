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
    Table,
)
from leastnoise.certificates.problem import Problem
from leastnoise.certificates.to_text import FORMAT
from leastnoise.certificates.witness import Dual, Multipliers, Rounded, Theorem, Witness
from leastnoise.errors import CertificateRejected, InvalidParameter
from leastnoise.numeric.cost import Cost, Moment, TabulatedCost, TailProbability

_NUMBER = re.compile(r"-?\d{1,4000}(/\d{1,4000})?", re.ASCII)
_MOST_CHARACTERS = 1 << 26
_MOST_PLACES = 1 << 22
_MOST_BITS = 1 << 14
_MOST_WORDS = 1000


def certificate_parts(text: str) -> dict[str, Any]:
    """The fields of a certificate.

    Raises:
        CertificateRejected: not the text of a certificate.
    """
    if len(text) > _MOST_CHARACTERS:
        raise _rejected("a text of reasonable length")
    try:
        data = json.loads(text)
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


def _parts(data: dict[str, Any]) -> dict[str, Any]:
    if data["format"] != FORMAT:
        raise _rejected(f"in the format '{FORMAT}'")
    return {
        "problem": _problem(data["problem"]),
        "law": _law(data["law"]),
        "achieved": _number(data["achieved"]),
        "bound": _number(data["bound"]),
        "witness": _witness(data["witness"]),
        "reference": _words(data["reference"]),
    }


def _number(text: Any) -> Fraction:
    if isinstance(text, str) and _NUMBER.fullmatch(text):
        return Fraction(text)
    raise TypeError


def _words(text: Any) -> str:
    # It will be printed below a verdict: no line of its own, nothing a terminal obeys.
    if isinstance(text, str) and text.isprintable() and len(text) <= _MOST_WORDS:
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
            return Moment(_number(data["order"]))
        case "tail":
            return TailProbability(_number(data["threshold"]))
        case "table":
            values = _numbers(data["values"])
            if values and list(values) == sorted(values) and values[0] >= 0:
                return TabulatedCost(values, step)
    raise TypeError


def _law(data: dict[str, Any]) -> DescribedLaw:
    match data["kind"]:
        case "table":
            return Table(_integers(data["weights"]))
        case "staircase":
            return Steps(_integer(data["width"], 1, 2**62))
        case "cut staircase":
            width = _integer(data["width"], 1, 2**62)
            return CutSteps(width, _integer(data["radius"], 0, 2**62))
        case "canonical":
            return CanonicalNoise()
    raise TypeError


def _witness(data: dict[str, Any]) -> Witness:
    match data["kind"]:
        case "dual":
            return _dual(data)
        case "rounded":
            sensitivity = _integer(data["sensitivity"], 1, _MOST_PLACES)
            return Rounded(sensitivity, _number(data["step"]), _dual(data))
        case "theorem":
            return Theorem[data["name"]]
    raise TypeError


def _dual(data: dict[str, Any]) -> Dual:
    rows = tuple(
        Multipliers(
            shift=_integer(row["shift"], 1, _MOST_PLACES),
            first=_place(row["first"]),
            values=_integers(row["values"]),
            beyond=_whole(_number(row["beyond"])),
        )
        for row in data["rows"]
    )
    return Dual(_number(data["level"]), _integer(data["bits"], 0, _MOST_BITS), rows)
