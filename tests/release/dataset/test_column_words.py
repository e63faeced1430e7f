"""Readers of a release learn what columns are measured in and mean."""

from pathlib import Path

import pandas as pd

import leastnoise as ln
from leastnoise.release.asking.column_words import question_words
from tests.release.dataset.clinic import CLINIC, clinic_in


def test_releases_tell_units_of_measure_and_descriptions(tmp_path: Path) -> None:
    data = ln.dataset(clinic_in(tmp_path))
    plan = data.plan("visits", join=["patients"], measure_cut=False)
    plan = plan.mean("cost", by="patients.sex").histogram("patients.age", parts=5).count()
    told = plan.preview(ln.PureDP(epsilon=1))
    words = ("cost is in NOK.", "patients.sex: as registered.", "patients.age is in years.")
    assert told.about == words
    assert " ".join(words) in " ".join(str(told).split())
    ledger = ln.Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=2), begin=True)
    release = plan.release(ln.PureDP(epsilon=1), ledger=ledger)
    cost, age, count = (each.words for each in release.facts.questions)
    assert cost.endswith("do not count. cost is in NOK. patients.sex: as registered.")
    assert age.endswith("patients.age is in years.")
    assert count.endswith(".")
    assert "is in" not in count
    assert "cost is in NOK" in release.to_json()


def test_releases_tell_who_is_not_protected() -> None:
    data = ln.dataset(
        tables={
            "people": pd.DataFrame({"id": [1, 2]}),
            "transfers": {
                "data": pd.DataFrame({"id": [7], "sender": [1], "receiver": [2]}),
                "owner": "sender",
            },
            "fees": pd.DataFrame({"transfer_id": [7], "amount": [1.0]}),
        },
        unit="people.id",
        refers={
            "transfers.sender": "people.id",
            "transfers.receiver": "people.id",
            "fees.transfer_id": "transfers.id",
        },
        name="bank",
    )
    told = "Rows of transfers are those of sender; whoever is named by receiver alone is not"
    for name in ("transfers", "fees"):
        plan = data.plan(name, max_rows=1).count()
        assert told in question_words(plan.questions[0], plan.bounded)
    assert data.table("people").notes == ()


def test_releases_tell_where_a_public_table_may_repeat_rows(tmp_path: Path) -> None:
    data = ln.dataset(clinic_in(tmp_path))
    assert data.table("visits", join=["patients", "cities"]).notes == ()
    text = CLINIC.replace('unique = ["name"]\n', "")
    (note,) = ln.dataset(clinic_in(tmp_path, text)).table("visits", join="cities").notes
    assert note.startswith("cities is not declared to have one row for each key")
