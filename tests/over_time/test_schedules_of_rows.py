"""Schedules of one dataset: other rows are another schedule, with a charge of its own."""

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_file import dataset
from leastnoise.release.scheduled_plan import ScheduledPlan
from leastnoise.release.step.stream_step import keeps_stream_claim

ONCE = ln.ZCDP(rho=1)
SEEN = pd.DataFrame(
    {"who": [1, 1, 2], "day": pd.to_datetime(["2026-01-01", "2026-02-03", "2026-02-04"])}
)


def clinic(**more: Any) -> Dataset:
    """Two tables that look alike."""
    return dataset(
        tables={"people": pd.DataFrame({"id": [1, 2]}), "calls": SEEN, "visits": SEEN.copy()},
        unit="people.id",
        refers={"calls.who": "people.id", "visits.who": "people.id"},
        bounds={"max_groups": 1, "max_rows": 1},
        **{"name": "clinic", **more},
    )


def scheduled(text: str) -> ScheduledPlan:
    found: ScheduledPlan = (
        clinic()
        .sql(text)
        .plan.every("month", start="2026-01-01", steps=3, contributes=1, column="day")
    )
    return found


TEXTS = [
    "SELECT COUNT(*) FROM calls",
    "SELECT COUNT(*) FROM visits",
    "SELECT COUNT(*) FROM (SELECT who, day FROM calls WHERE day > '2026-02-01') t",
    "SELECT COUNT(*) FROM (SELECT who, day FROM calls WHERE day < '2026-02-01') t",
    "SELECT COUNT(*) FROM (SELECT who, day FROM calls UNION ALL SELECT who, day FROM visits) t",
    "SELECT COUNT(*) FROM (SELECT a.who, a.day FROM calls a WHERE EXISTS"
    " (SELECT 1 FROM visits b WHERE a.who = b.who)) t",
    "SELECT COUNT(*) FROM (SELECT a.who, a.day FROM calls a WHERE EXISTS"
    " (SELECT 1 FROM visits b WHERE a.who = b.who AND b.day > '2026-02-01')) t",
]
REVISED = [
    "SELECT COUNT(*) FROM (SELECT a.who, a.day FROM calls a WHERE NOT EXISTS"
    " (SELECT 1 FROM visits b WHERE a.who = b.who)) t",
    "SELECT COUNT(*) FROM (SELECT who, day, COUNT(*) AS n FROM calls GROUP BY who, day) t"
    " WHERE n = 1",
    "SELECT COUNT(*) FROM (SELECT a.who, a.day FROM calls a JOIN"
    " (SELECT who, COUNT(*) AS n FROM visits GROUP BY who) b ON a.who = b.who WHERE n = 1) t",
    "SELECT COUNT(*) FROM (SELECT p.id, c.day FROM people p LEFT JOIN calls c ON p.id = c.who) t",
    "SELECT COUNT(*) FROM (SELECT who, day FROM calls UNION ALL SELECT a.who, a.day FROM calls a"
    " WHERE NOT EXISTS (SELECT 1 FROM visits b WHERE a.who = b.who)) t",
]


@pytest.mark.parametrize("other", TEXTS[1:])
def test_other_rows_are_not_paid_for(other: str, tmp_path: Path) -> None:
    """A unit may count early by one and late by the other: more than one charge covers."""
    ledger = ln.Ledger(tmp_path / "b.db", total=ONCE, begin=True)
    scheduled(TEXTS[0]).begin(ONCE, ledger=ledger)
    scheduled(TEXTS[0]).begin(ONCE, ledger=ledger)
    with pytest.raises(BudgetExceeded):
        scheduled(other).begin(ONCE, ledger=ledger)


def test_every_rows_have_their_own_fingerprint() -> None:
    assert len({scheduled(each)._schedule_digest() for each in TEXTS}) == len(TEXTS)
    assert scheduled(TEXTS[4])._schedule_digest() == scheduled(TEXTS[4])._schedule_digest()


def test_rows_in_memory_need_a_name() -> None:
    asked = clinic(name="").sql(TEXTS[4]).plan
    plan = asked.every("month", start=date(2026, 1, 1), steps=3, contributes=1, column="day")
    with pytest.raises(InvalidParameter, match="a schedule must know its data again"):
        plan._schedule_digest()


@pytest.mark.parametrize("text", REVISED)
def test_rows_that_others_may_take_back_are_refused(text: str) -> None:
    """A unit whose early rows go counts again later, in more steps than were paid for."""
    with pytest.raises(UnsupportedQuery, match="stay as they are when others come"):
        scheduled(text).preview(ONCE)


def test_the_gate_refuses_them_too() -> None:
    revised, kept = scheduled(REVISED[0]), scheduled(TEXTS[5])
    released = kept._over_time()
    streams = released.design(ONCE)[0].streams(released.questions)
    assert keeps_stream_claim(streams[0], kept.table)
    assert not keeps_stream_claim(streams[0], revised.table)
