"""A certificate from JSON that may come from anyone: read strictly, never executed."""

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
from leastnoise.certificates.strict_json import (
    WRONG_TYPES,
    integer,
    number,
    only,
    read_object,
    rejected,
    words,
)
from leastnoise.certificates.to_text import FORMAT
from leastnoise.certificates.witness import Dual, Multipliers, Rounded, Theorem, Witness
from leastnoise.numeric.cost import Cost, Moment, TabulatedCost, TailProbability

_MOST_PLACES = 1 << 22  # a stranger's text must not fill the memory
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
    data = read_object(text)
    try:
        return _parts(data)
    except WRONG_TYPES:
        raise rejected("all fields of a certificate, each of its own type") from None


def _parts(data: dict[str, Any]) -> dict[str, Any]:
    if data["format"] != FORMAT:
        raise rejected(f"in the format '{FORMAT}'")
    only(data, *_FIELDS)
    return {
        "problem": _problem(data["problem"]),
        "law": _law(data["law"]),
        "achieved": number(data["achieved"]),
        "bound": number(data["bound"]),
        "witness": _witness(data["witness"]),
        "words": (
            words(data.get("claim", ""), _MOST_CLAIM),
            words(data["reference"], _MOST_REFERENCE),
        ),
    }


def _place(value: Any) -> int:
    return integer(value, -_MOST_PLACES, _MOST_PLACES)


def _numbers(values: Any) -> tuple[Fraction, ...]:
    if isinstance(values, list) and len(values) <= _MOST_PLACES:
        return tuple(number(value) for value in values)
    raise TypeError


def _integers(values: Any) -> tuple[int, ...]:
    return tuple(_whole(value) for value in _numbers(values))


def _whole(value: Fraction) -> int:
    if value.denominator == 1:
        return value.numerator
    raise TypeError


def _problem(data: dict[str, Any]) -> Problem:
    only(data, "sensitivity", "epsilon", "delta", "step", "cost")
    step = number(data["step"])
    return Problem(
        sensitivity=integer(data["sensitivity"], 1, 2**62),
        epsilon=number(data["epsilon"]),
        delta=number(data["delta"]),
        cost=_cost(data["cost"], step),
        step=step,
    )


def _cost(data: dict[str, Any], step: Fraction) -> Cost:
    match data["kind"]:
        case "moment":
            only(data, "kind", "order")
            return Moment(number(data["order"]))
        case "tail":
            only(data, "kind", "threshold")
            return TailProbability(number(data["threshold"]))
        case "table":
            only(data, "kind", "values")
            values = _numbers(data["values"])
            if values and list(values) == sorted(values) and values[0] >= 0:
                return TabulatedCost(values, step)
    raise TypeError


def _law(data: dict[str, Any]) -> DescribedLaw:
    match data["kind"]:
        case "table":
            only(data, "kind", "weights")
            return WeightTable(_integers(data["weights"]))
        case "staircase":
            only(data, "kind", "width")
            return Steps(integer(data["width"], 1, 2**62))
        case "cut staircase":
            only(data, "kind", "width", "radius")
            width = integer(data["width"], 1, 2**62)
            return CutSteps(width, integer(data["radius"], 0, 2**62))
        case "canonical":
            only(data, "kind")
            return CanonicalNoise()
    raise TypeError


def _witness(data: dict[str, Any]) -> Witness:
    match data["kind"]:
        case "dual":
            only(data, "kind", *_DUAL)
            return _dual(data)
        case "rounded":
            only(data, "kind", "sensitivity", "step", *_DUAL)
            sensitivity = integer(data["sensitivity"], 1, _MOST_PLACES)
            return Rounded(sensitivity, number(data["step"]), _dual(data))
        case "theorem":
            only(data, "kind", "name", "statement")
            theorem = Theorem[data["name"]]
            if data.get("statement", theorem.value) != theorem.value:
                raise rejected("one whose theorem is stated as it is")
            return theorem
    raise TypeError


def _dual(data: dict[str, Any]) -> Dual:
    rows = tuple(_multipliers(row) for row in data["rows"])
    return Dual(number(data["level"]), integer(data["bits"], 0, _MOST_BITS), rows)


def _multipliers(row: dict[str, Any]) -> Multipliers:
    only(row, "shift", "first", "values", "beyond")
    return Multipliers(
        shift=integer(row["shift"], 1, _MOST_PLACES),
        first=_place(row["first"]),
        values=_integers(row["values"]),
        beyond=_whole(number(row["beyond"])),
    )
