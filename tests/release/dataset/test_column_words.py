"""Readers of a release learn what columns are measured in and mean."""

from pathlib import Path

import leastnoise as ln
from tests.release.dataset.clinic import clinic_in


def test_releases_tell_units_of_measure_and_descriptions(tmp_path: Path) -> None:
    data = ln.dataset(clinic_in(tmp_path))
    plan = data.plan("visits", join=["patients"], measure_cut=False)
    plan = plan.mean("cost", by="patients.sex").histogram("patients.age", parts=5).count()
    ledger = ln.Ledger(tmp_path / "b.db", total=ln.PureDP(epsilon=2), begin=True)
    release = plan.release(ln.PureDP(epsilon=1), ledger=ledger)
    cost, age, count = (each.words for each in release.facts.questions)
    assert cost.endswith("do not count. cost is in NOK. patients.sex: as registered.")
    assert age.endswith("patients.age is in years.")
    assert count.endswith(".")
    assert "is in" not in count
    assert "cost is in NOK" in release.to_json()
