"""The certificate of a plan as JSON, and from JSON that may come from anyone."""

from fractions import Fraction
from typing import Any

from leastnoise.certificates.plan_claim import REFERENCE, PlanBound, PlanClaim
from leastnoise.certificates.plan_part import PlanPart
from leastnoise.certificates.plan_scope import Scope
from leastnoise.certificates.strict_json import WRONG_TYPES, integer, number, only, rejected, words
from leastnoise.certificates.tables_part import TablesPart
from leastnoise.privacy.guarantee import GDP, ZCDP, ApproxDP, Guarantee, PureDP

PLAN_FORMAT = "leastnoise plan certificate, version 1"

_MOST_PARTS = 1 << 14  # a stranger's text must not keep a checker busy
_MOST_BITS = 1 << 12  # for the same reason
_MOST_CELLS = 1 << 40
_MOST_WORDS = 1 << 17
_MOST_WAYS = 16
_FIELDS = (
    "format", "claim", "budget", "neighbours", "parts", "outside", "achieved", "bounds",
    "reference",
)  # fmt: skip
_SIZES = ("cells", "either", "moved")
_COUNTS = ("fewer", "more")
_SIGNED = ("low", "high")
_TABLE_RATIONALS = ("weight", "variance", "chance")
_RATIONALS = ("weight", "variance", "chance", "upper")
_NEIGHBOURS = {"add_remove": False, "replace": True}
_BUDGETS: dict[str, tuple[type[PureDP | ApproxDP | ZCDP | GDP], tuple[str, ...]]] = {
    "pure": (PureDP, ("epsilon",)),
    "approximate": (ApproxDP, ("epsilon", "delta")),
    "concentrated": (ZCDP, ("rho",)),
    "gaussian": (GDP, ("mu",)),
}


def plan_text(claim: PlanClaim) -> dict[str, Any]:
    """The certificate as plain values of JSON: rationals as text, so that nothing is rounded."""
    return {
        "format": PLAN_FORMAT,
        "claim": claim.sentence,
        "budget": _budget_text(claim.budget),
        "neighbours": "replace" if claim.replaced else "add_remove",
        "parts": [_part_text(part) for part in claim.parts],
        "outside": list(claim.outside),
        "achieved": str(claim.achieved),
        "bounds": [{"scope": each.scope.name, "bound": str(each.bound)} for each in claim.bounds],
        "reference": REFERENCE,
    }


def _budget_text(budget: Guarantee) -> dict[str, str]:
    for kind, (family, names) in _BUDGETS.items():
        if type(budget) is family:
            return {"kind": kind} | {name: str(getattr(budget, name)) for name in names}
    raise TypeError(f"no certificate is made for {budget!r}")


def _part_text(part: PlanPart | TablesPart) -> dict[str, Any]:
    if isinstance(part, TablesPart):
        return {
            "questions": list(part.questions),
            "sizes": list(part.sizes),
            "ways": part.ways,
            "high": part.high,
            **{name: str(getattr(part, name)) for name in _TABLE_RATIONALS},
        }
    whole = {name: getattr(part, name) for name in (*_SIZES, *_COUNTS, *_SIGNED)}
    first = {"questions": list(part.questions), "alone": part.alone}
    return first | whole | {name: str(getattr(part, name)) for name in _RATIONALS}


def plan_parts(data: Any) -> dict[str, Any]:
    """The fields of a plan's certificate, from values of JSON.

    Raises:
        CertificateRejected: not the text of a plan's certificate.
    """
    try:
        return _parts(data)
    except WRONG_TYPES:
        raise rejected("all fields of a plan's certificate, each of its own type") from None


def _parts(data: dict[str, Any]) -> dict[str, Any]:
    if data["format"] != PLAN_FORMAT:
        raise rejected(f"in the format '{PLAN_FORMAT}'")
    only(data, *_FIELDS)
    return {
        "budget": _budget(data["budget"]),
        "replaced": _NEIGHBOURS[data["neighbours"]],
        "parts": tuple(_part(each) for each in _listed(data["parts"])),
        "outside": _places(data["outside"]),
        "achieved": _short(data["achieved"]),
        "bounds": tuple(_bound(each) for each in _some(data["bounds"])),
        "words": (words(data["claim"], _MOST_WORDS), words(data["reference"], _MOST_WORDS)),
    }


def _listed(values: Any) -> list[Any]:
    if isinstance(values, list) and len(values) <= _MOST_PARTS:
        return values
    raise TypeError


def _some(values: Any) -> list[Any]:
    if values:
        return _listed(values)
    raise TypeError


def _places(values: Any) -> tuple[int, ...]:
    return tuple(integer(each, 0, _MOST_CELLS) for each in _listed(values))


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError


def _short(text: Any) -> Fraction:
    value = number(text)
    if max(abs(value.numerator), value.denominator).bit_length() <= _MOST_BITS:
        return value
    raise TypeError


def _budget(data: dict[str, Any]) -> Guarantee:
    family, names = _BUDGETS[data["kind"]]
    only(data, "kind", *names)
    return family(**{name: _short(data[name]) for name in names})


def _bound(data: dict[str, Any]) -> PlanBound:
    only(data, "scope", "bound")
    bound = _short(data["bound"])
    if bound > 0:
        return PlanBound(Scope[data["scope"]], bound)
    raise TypeError


def _part(data: dict[str, Any]) -> PlanPart | TablesPart:
    if "sizes" in data:
        return _tables(data)
    only(data, "questions", "alone", *_SIZES, *_COUNTS, *_SIGNED, *_RATIONALS)
    whole: dict[str, Any] = {name: integer(data[name], 1, _MOST_CELLS) for name in _SIZES}
    whole |= {name: integer(data[name], 0, _MOST_CELLS) for name in _COUNTS}
    whole |= {name: integer(data[name], -(2**62), 2**62) for name in _SIGNED}
    exact = {name: _short(data[name]) for name in _RATIONALS}
    places, alone = _places(data["questions"]), _truth(data["alone"])
    return PlanPart(questions=places, alone=alone, **(whole | exact))


def _tables(data: dict[str, Any]) -> TablesPart:
    only(data, "questions", "sizes", "ways", "high", *_TABLE_RATIONALS)
    return TablesPart(
        questions=_places(data["questions"]),
        sizes=tuple(integer(each, 2, _MOST_CELLS) for each in _some(data["sizes"])),
        ways=integer(data["ways"], 1, _MOST_WAYS),
        high=integer(data["high"], 0, 2**62),
        weight=_short(data["weight"]),
        variance=_short(data["variance"]),
        chance=_short(data["chance"]),
    )
