"""A plan's file may name a dataset and a table in place of a path and a unit."""

from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.errors import InvalidParameter
from leastnoise.release.file.plan_file import PlanFile, plan_file
from tests.release.dataset.clinic import CLINIC, clinic_in

PLAN = """\
[data]
dataset = "described/clinic.toml"
table = "visits"

[[question]]
ask = "mean"
column = "cost"
by = "city"

[[question]]
ask = "units"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "described").mkdir()
    clinic_in(tmp_path / "described")
    return tmp_path


def read(folder: Path, text: str = PLAN) -> PlanFile:
    return plan_file(text, folder, "plan.toml")


def test_the_dataset_says_what_the_plan_does_not(folder: Path) -> None:
    found = read(folder)
    assert found.ledger == folder / "described" / "budget.db"
    assert (found.spend, found.total) == (ln.PureDP(epsilon=1), ln.PureDP(epsilon=3))
    assert found.plan.bounds.numbers == {"max_groups": 2, "max_rows": 8}
    assert found.dataset == "clinic"
    assert found.plan.table.whose == "patients.id"


def test_the_same_plan_in_python(folder: Path) -> None:
    data = ln.dataset(folder / "described" / "clinic.toml")
    made = data.plan("visits").mean("cost", by="city").count_units()
    assert made.digest == read(folder).plan.digest


def test_what_the_plan_says_wins(folder: Path) -> None:
    text = PLAN + '[bounds]\nmax_rows = 3\n[budget]\nledger = "own.db"\nspend = {rho = 0.1}\n'
    found = read(folder, text)
    assert found.ledger == folder / "own.db"
    assert found.spend == ln.ZCDP(rho="0.1")
    assert found.plan.bounds.numbers == {"max_groups": 2, "max_rows": 3}


def test_what_is_declared_is_in_the_digest(folder: Path) -> None:
    before = read(folder).plan.digest
    described = folder / "described" / "clinic.toml"
    described.write_text(CLINIC.replace("[0, 5000]", "[0, 4000]"))
    changed = read(folder).plan.digest
    described.write_text(CLINIC.replace('unit = "NOK"', 'unit = "EUR"'))
    assert len({before, changed, read(folder).plan.digest}) == 3


def test_tables_stand_beside(folder: Path) -> None:
    text = PLAN.replace('"visits"\n', '"visits"\njoin = ["patients", "cities"]\n')
    text = text.replace('column = "cost"', 'column = "patients.age"').replace(
        'by = "city"', 'by = ["cities.region", "patients.sex"]'
    )
    (keys, _) = (each.groups.public_keys for each in read(folder, text).plan.questions)
    assert keys is not None
    assert len(keys.rows) == 6


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"visits"', '"visit"', r"plan.toml:3:1: a table must be one of the dataset"),
        ('table = "visits"\n', "", r"plan.toml:1:1: a plan is about one table"),
        ("clinic.toml", "other.toml", r"plan.toml:2:1: `dataset` must be a file in UTF-8"),
        ('table = "visits"', 'tabel = "visits"', r"plan.toml:3:1: .*`table`"),
        ('table = "visits"', 'unit = "row"', r"plan.toml:3:1: "),
        ('by = "city"', 'by = "id"', r"plan.toml:\d+:\d: `keys` must be given with `by`"),
    ],
)
def test_mistakes(folder: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        read(folder, PLAN.replace(old, new))


def test_a_mistake_in_the_dataset_is_told_there(folder: Path) -> None:
    (folder / "described" / "clinic.toml").write_text(CLINIC.replace("max_rows", "max_row"))
    with pytest.raises(InvalidParameter, match=r"^clinic\.toml:35:1: "):
        read(folder)


def test_without_a_budget_anywhere(folder: Path) -> None:
    (folder / "described" / "clinic.toml").write_text(CLINIC.partition("[budget]")[0])
    with pytest.raises(InvalidParameter, match=r"plan.toml:1:1: a plan must have .*`budget`"):
        read(folder)
    with pytest.raises(InvalidParameter, match=r"no `ledger`. .*Its dataset may say both"):
        read(folder, PLAN + "[budget]\nspend = {epsilon = 1}\n")


def test_keys_come_from_no_private_table(folder: Path) -> None:
    text = PLAN.replace('by = "city"', 'by = "city"\nkeys_file = "described/{}"')
    lab = folder / "described" / "lab.csv"
    with pytest.raises(InvalidParameter, match="must not be one of the data"):
        read(folder, text.format(lab.name))
    (folder / "described" / "all.csv").write_text("city\nOslo\n")
    keys = read(folder, text.format("all.csv")).plan.questions[0].groups.public_keys
    assert keys is not None
    assert keys.rows == (("Oslo",),)
