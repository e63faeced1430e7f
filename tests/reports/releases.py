"""Releases made by hand, for reports."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

import leastnoise as ln
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.keys import Key
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_facts import QuestionFacts, ReleaseFacts
from leastnoise.release.result.released_table import ReleasedTable

PROMISE = ln.ApproxDP(epsilon=1, delta="1e-7")


def table(name: str, keys: Sequence[Key], *, column: str = "city", note: str = "") -> ReleasedTable:
    """Counts 100, 101, … with a standard error of 5."""
    values = 100 + np.arange(len(keys), dtype=np.int64)
    error, middle = np.full(len(keys), 5.0), values.astype(np.float64)
    return ReleasedTable(
        name=name,
        columns=(column,),
        rows=tuple((key,) for key in keys),
        values=values,
        standard_error=error,
        lower=middle - 10,
        upper=middle + 10,
        mechanism="DiscreteLaplace(scale=3)",
        notes=(note,) if note else (),
    )


def single(name: str = "units") -> ReleasedTable:
    """One count with a certificate."""
    proof = ln.optimal(sensitivity=1, epsilon="0.5").certificate()
    return ReleasedTable(
        name=name,
        columns=(),
        rows=((),),
        values=np.array([1836], dtype=np.int64),
        standard_error=np.array([2.7]),
        lower=np.array([1830.0]),
        upper=np.array([1842.0]),
        mechanism="Canonical(epsilon=0.5, delta=0)",
        ratio=Fraction(proof.ratio),
        certificate=proof,
    )


def question(name: str, words: str, **more: object) -> QuestionFacts:
    """What was said of a question beforehand."""
    told = {"answers": 3, "mechanism": "DiscreteLaplace(scale=3)", "expected_error": 2.9628}
    told |= {"interval": Fraction(9), "share": Fraction(1, 3)}
    return QuestionFacts(words, Forecast(question=name, **told | more))  # type: ignore[arg-type]


def release(  # noqa: PLR0913 - each is a part of a release
    tables: list[ReleasedTable],
    questions: list[QuestionFacts] | None = None,
    *,
    promise: Guarantee = PROMISE,
    unit: str | None = "patient_id",
    neighbours: str = "add_remove",
    dataset: str = "visits 2026",
    purpose: str = "yearly tables",
    labels: dict[str, str] | None = None,
) -> PlanRelease:
    """A release of these tables."""
    asked = questions or [question(t.name, f"The number of rows: {t.name}.") for t in tables]
    charge = Charge((promise,), purpose, labels or {"analyst": "ann"}, "5ec87d9a")
    facts = ReleaseFacts(
        dataset=dataset,
        unit=unit,
        neighbours=neighbours,
        max_groups=2,
        max_rows=3,
        questions=tuple(asked),
        version="0.1.0",
    )
    entry = Entry(7, "2026-11-15T09:44:27.900+00:00", charge)
    left = ln.ApproxDP(epsilon=2, delta="4e-7")
    return PlanRelease(tuple(tables), promise, entry, "5ec87d9a", facts, left)
