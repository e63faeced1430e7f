"""A bound for many answers as JSON, and from JSON that may come from anyone."""

from fractions import Fraction
from typing import Any, assert_never

from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.answers_witness import AnswersWitness, MovedCounts, PairDual, PairRow
from leastnoise.certificates.strict_json import WRONG_TYPES, integer, number, only, rejected, words
from leastnoise.numeric.cost import Moment

ANSWERS_FORMAT = "leastnoise bound for many answers, version 1"

_MOST_PLACES = 1 << 10  # a stranger's text must not keep a checker busy
_MOST_ANSWERS = 10**9
_MOST_BITS = 1 << 10
_MOST_WORDS = 1 << 16


def answers_text(problem: AnswersProblem, witness: AnswersWitness) -> dict[str, Any]:
    """Problem and witness as plain values of JSON: rationals as text, so that none is rounded."""
    return {
        "format": ANSWERS_FORMAT,
        "problem": {
            "count": problem.count,
            "one_sided": problem.one_sided,
            "sensitivity": problem.sensitivity,
            "epsilon": str(problem.epsilon),
            "delta": str(problem.delta),
            "power": str(problem.cost.order),
            "step": str(problem.step),
            "halves": problem.halves,
        },
        "witness": _witness_text(witness),
    }


def _witness_text(witness: AnswersWitness) -> dict[str, Any]:
    match witness:
        case PairDual():
            rows = [
                {"shift": list(row.shift), "values": [list(map(str, line)) for line in row.values]}
                for row in witness.rows
            ]
            return {"kind": "pair", "first": witness.first, "bits": witness.bits, "rows": rows}
        case MovedCounts():
            chances = [[number_, str(chance)] for number_, chance in witness.chances]
            return {"kind": "moved", "chances": chances}
        case _:
            assert_never(witness)


def answers_parts(data: Any) -> dict[str, Any]:
    """The fields of a bound for many answers.

    Raises:
        CertificateRejected: not the text of such a certificate.
    """
    try:
        return _parts(data)
    except (*WRONG_TYPES, ValueError):
        raise rejected("all fields of a bound for many answers, each of its own type") from None


def _parts(data: dict[str, Any]) -> dict[str, Any]:
    if data["format"] != ANSWERS_FORMAT:
        raise rejected(f"in the format '{ANSWERS_FORMAT}'")
    only(data, "format", "problem", "witness", "bound", "claim", "reference")
    return {
        "problem": _problem(data["problem"]),
        "bound": number(data["bound"]),
        "witness": _witness(data["witness"]),
        "words": tuple(words(data[name], _MOST_WORDS) for name in ("claim", "reference")),
    }


def _problem(data: dict[str, Any]) -> AnswersProblem:
    only(data, "count", "one_sided", "sensitivity", "epsilon", "delta", "power", "step", "halves")
    return AnswersProblem(
        count=integer(data["count"], 2, _MOST_ANSWERS),
        one_sided=_truth(data["one_sided"]),
        sensitivity=integer(data["sensitivity"], 1, 2**62),
        epsilon=number(data["epsilon"]),
        delta=number(data["delta"]),
        cost=Moment(number(data["power"])),
        step=number(data["step"]),
        halves=_truth(data["halves"]),
    )


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError


def _witness(data: dict[str, Any]) -> AnswersWitness:
    if data["kind"] == "pair":
        only(data, "kind", "first", "bits", "rows")
        return PairDual(
            integer(data["first"], -_MOST_PLACES, _MOST_PLACES),
            integer(data["bits"], 0, _MOST_BITS),
            tuple(_row(row) for row in _listed(data["rows"])),
        )
    only(data, "kind", "chances")
    if data["kind"] != "moved":
        raise TypeError
    return MovedCounts(tuple(_chance(*pair) for pair in _listed(data["chances"])))


def _listed(values: Any) -> list[Any]:
    if isinstance(values, list) and len(values) <= _MOST_PLACES:
        return values
    raise TypeError


def _row(data: dict[str, Any]) -> PairRow:
    only(data, "shift", "values")
    one, other = (integer(part, -_MOST_PLACES, _MOST_PLACES) for part in _listed(data["shift"]))
    lines = tuple(tuple(map(_whole, _listed(line))) for line in _listed(data["values"]))
    return PairRow((one, other), lines)


def _whole(text: Any) -> int:
    value = number(text)
    if value.denominator == 1:
        return value.numerator
    raise TypeError


def _chance(moved: Any, chance: Any) -> tuple[int, Fraction]:
    return integer(moved, 0, _MOST_ANSWERS), number(chance)
