"""Releases as JSON that says everything and reads back as the same release."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise import _check
from leastnoise.certificates.certificate import Certificate
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.errors import LeastNoiseError
from leastnoise.ledger.entry import Charge, Entry, event_from_text, event_text
from leastnoise.ledger.guarantee_text import (
    guarantee_from_text,
    guarantee_text,
    number_from_text,
)
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.days import is_day
from leastnoise.release.ask.publication import NOTHING_SAID, Publication
from leastnoise.release.result.chosen import ChosenFacts
from leastnoise.release.result.cut import Cut
from leastnoise.release.result.flag import Flag
from leastnoise.release.result.forecast import Forecast, SizedError
from leastnoise.release.result.json_text import json_pieces, numbers_text, rows_text
from leastnoise.release.result.ranks import Ranks
from leastnoise.release.result.release_facts import QuestionFacts, ReleaseFacts
from leastnoise.release.result.released_table import ReleasedTable

RELEASE_FORMAT = "leastnoise release 1"
_EXACT = ("interval", "share", "ratio", "times_least")
_MEASURES = ("values", "standard_error", "lower", "upper")
Parts = tuple[
    tuple[ReleasedTable, ...],
    Guarantee,
    Entry,
    str,
    ReleaseFacts,
    Guarantee,
    PlanCertificate | None,
]


def release_pieces(  # noqa: PLR0913, PLR0917 - the parts of a release
    tables: Sequence[ReleasedTable],
    guarantee: Guarantee,
    entry: Entry,
    digest: str,
    facts: ReleaseFacts,
    left: Guarantee,
    certificate: PlanCertificate | None,
) -> Iterator[str]:
    """Everything, as JSON: all pieces together are the text."""
    said = {
        "format": RELEASE_FORMAT,
        "promise": str(guarantee),
        "guarantee": guarantee_text(guarantee),
        "left": guarantee_text(left),
        "ledger_line": {
            "number": entry.number, "time": entry.time, "seal": entry.seal,
            "event": event_text(entry.event),
        },
        "plan": digest,
        "facts": _facts(facts),
        "plan_proof": None if certificate is None else certificate.to_values(),
        "flags": [flag.to_values() for flag in facts.flags],
    }  # fmt: skip
    head = json.dumps(said, ensure_ascii=False, indent=1).removesuffix("\n}")
    # A line for each of a million answers would take most of a release's time: one for each part.
    yield from (head, ',\n "tables": [\n')
    for place, table in enumerate(tables):
        yield ",\n" * bool(place) + "  {\n"
        yield from _lines(table)
        yield "\n  }"
    yield "\n ]\n}"


def _lines(table: ReleasedTable) -> Iterator[str]:
    for place, (name, pieces) in enumerate(_table(table).items()):
        yield ',\n   "' if place else '   "'
        yield f'{name}": '
        yield from pieces


def _table(table: ReleasedTable) -> dict[str, Iterator[str]]:
    """The pieces of the text of each part."""
    proof = None if table.certificate is None else table.certificate.to_json()
    columns, measures = table.key_columns, {name: getattr(table, name) for name in _MEASURES}
    first = table.facts_in_columns() | {"proof": proof, "columns": list(table.columns)}
    last = {
        **_date_places(columns),
        **({"dated": True} if table.dated else {}),
        "whole": table.values.dtype == np.int64,
    }
    return (
        {name: json_pieces(part) for name, part in first.items()}
        | {"rows": rows_text(columns, len(table))}
        | {name: json_pieces(part) for name, part in last.items()}
        | {name: numbers_text(column) for name, column in measures.items()}
    )


def _date_places(columns: Sequence[Any]) -> dict[str, list[int]]:
    """Which parts of keys are dates, if any: in JSON they are text like others."""
    parts = [
        place
        for place, column in enumerate(columns)
        if not isinstance(column, np.ndarray) and any(map(is_day, column))
    ]
    return {"dates": parts} if parts else {}


def _rows_from(said: dict[str, Any]) -> tuple[tuple[Any, ...], ...]:
    dates = frozenset(said.get("dates", ()))
    if not dates:
        return tuple(tuple(row) for row in said["rows"])
    return tuple(
        tuple(
            date.fromisoformat(each) if place in dates and each is not None else each
            for place, each in enumerate(row)
        )
        for row in said["rows"]
    )


def _facts(facts: ReleaseFacts) -> dict[str, Any]:
    said = asdict(facts)
    for question in said["questions"]:
        told = question["forecast"]
        told |= {name: None if told[name] is None else str(told[name]) for name in _EXACT}
    return said


def release_from_text(text: str) -> Parts:
    """The parts of a release again.

    Raises:
        InvalidParameter: not written by `release_pieces`.
    """
    try:
        said = json.loads(text)
        if said["format"] != RELEASE_FORMAT:
            raise ValueError("another format")
        return _parts(said)
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError, LeastNoiseError):
        raise _check.refuse(
            "a stored release must be text written by this library", "another text", "Release anew."
        ) from None


def _parts(said: dict[str, Any]) -> Parts:
    line = said["ledger_line"]
    event = event_from_text(line["event"])
    if not isinstance(event, Charge):
        raise ValueError("not a charge")
    proof = said.get("plan_proof")  # releases stored before there were any have none
    return (
        tuple(_table_from(each) for each in said["tables"]),
        guarantee_from_text(said["guarantee"]),
        Entry(int(line["number"]), str(line["time"]), event, str(line.get("seal", ""))),
        str(said["plan"]),
        _facts_from(said["facts"]),
        guarantee_from_text(said["left"]),
        None if proof is None else PlanCertificate.from_values(proof),
    )


def _table_from(said: dict[str, Any]) -> ReleasedTable:
    kinds = [np.int64 if said["whole"] else np.float64, np.float64, np.float64, np.float64]
    measures: dict[str, Any] = {
        name: np.array([float(x) if isinstance(x, str) else x for x in said[name]], dtype=kind)
        for name, kind in zip(_MEASURES, kinds, strict=True)
    }
    return ReleasedTable(
        name=said["question"],
        columns=tuple(said["columns"]),
        rows=_rows_from(said),
        mechanism=said["mechanism"],
        ratio=_fraction(said["ratio"]),
        certificate=None if said["proof"] is None else Certificate.from_json(said["proof"]),
        notes=tuple(said["notes"]),
        cut=None if said.get("cut") is None else Cut.from_values(said["cut"]),
        flags=tuple(map(Flag.from_values, said.get("flags", ()))),  # early ones have none
        ranks=Ranks.from_facts(said.get("ranks")),
        dated=bool(said.get("dated", False)),
        **measures,
    )


def _facts_from(said: dict[str, Any]) -> ReleaseFacts:
    questions = tuple(
        QuestionFacts(**each | {"forecast": _forecast_from(each["forecast"])})
        for each in said["questions"]
    )
    chosen = None if said.get("chosen") is None else ChosenFacts.from_values(said["chosen"])
    words = said.get("publication")  # early releases have none
    parts = {
        "questions": questions,
        "chosen": chosen,
        "publication": NOTHING_SAID if words is None else Publication.from_values(words),
    }
    return ReleaseFacts(**said | parts)


def _forecast_from(said: dict[str, Any]) -> Forecast:
    exact = {name: _fraction(said.get(name)) for name in _EXACT}
    per_row = said.get("per_row")  # releases stored before forecasts had them have none
    sized = {
        "per_row": None if per_row is None else SizedError(**per_row),
        "sizes": tuple(SizedError(**each) for each in said.get("sizes", ())),
    }
    return Forecast(**said | exact | sized | {"advice": tuple(said["advice"])})


def _fraction(text: str | None) -> Fraction | None:
    return None if text is None else number_from_text(text)
