"""A dataset's file is read strictly, and every table comes to its unit by one way."""

import json
import random
import re
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.errors import InvalidParameter, LeastNoiseError
from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_file import dataset_file
from leastnoise.release.dataset.dataset_schema import dataset_schema, schema_text
from leastnoise.release.dataset.described_table import Reference
from leastnoise.release.file.plan_schema import plan_schema
from tests.release.dataset.clinic import CLINIC, clinic_in, frames

HERE = Path()


def read(text: str) -> Dataset:
    return dataset_file(text, HERE, "clinic.toml")


def refused(text: str, words: str) -> str:
    with pytest.raises(InvalidParameter, match=words) as found:
        read(text)
    assert re.match(r"clinic\.toml:\d+:\d+: ", str(found.value))
    return str(found.value)


def test_what_a_file_says() -> None:
    data = read(CLINIC)
    assert (data.name, str(data.unit)) == ("clinic", "patients.id")
    assert data.private == ("patients", "visits", "lab_results")
    assert data.bounds == {"max_groups": 2, "max_rows": 8}
    assert data.spend == ln.PureDP(epsilon=1)
    assert data.total == ln.PureDP(epsilon=3)
    assert data.ledger == Path("budget.db")
    facts = dict(data["visits"].facts)
    assert facts["cost"].lower == Fraction(0)
    assert facts["cost"].measure == "NOK"
    assert facts["day"].upper == date(2022, 12, 31)
    assert facts["city"].values == ("Oslo", "Bergen")
    assert dict(data["patients"].facts)["sex"].description == "as registered"


def test_ways_to_the_unit() -> None:
    data = read(CLINIC)
    assert data.way("patients") == ()
    assert data.way("lab_results") == (
        (Reference("lab_results", "visit_id"), Reference("visits", "id")),
        (Reference("visits", "patient_id"), Reference("patients", "id")),
    )
    assert data.owner_column("patients") == "id"
    assert data.owner_column("visits") == "patient_id"
    assert data.owner_column("lab_results") is None


def test_nothing_is_read_of_the_data() -> None:
    read(CLINIC)  # none of its files is there


TRANSFERS = """
[dataset]
name = "bank"
unit = "people.id"
[tables.people]
path = "p.csv"
[tables.transfers]
path = "t.csv"
refers = {sender = "people.id", receiver = "people.id"}
"""


def test_of_several_ways_one_must_be_chosen() -> None:
    message = refused(TRANSFERS, "one way to the unit")
    assert 'owner = "sender"' in message
    assert message.startswith("clinic.toml:7:1:")
    data = read(TRANSFERS + 'owner = "receiver"\n')
    assert data.owner_column("transfers") == "receiver"
    refused(TRANSFERS + 'owner = "amount"\n', "`owner` of 'transfers' must be a column")


def test_a_table_without_a_way_is_refused() -> None:
    refused(CLINIC.replace("public = true\nunique", "unique"), "is for public tables")
    text = CLINIC.replace('public = true\nunique = ["name"]', "")
    text = text.replace(', city = "cities.name"', "")
    assert "'cities' with neither" in refused(text, "must be public, or have a way")


def test_keys_to_itself_and_to_public_tables_are_no_ways() -> None:
    text = CLINIC.replace('"patients.id", city', '"patients.id", id = "visits.id", city')
    assert len(read(text).way("visits")) == 1


def test_a_circle_is_refused() -> None:
    text = """
[dataset]
name = "x"
unit = "p.id"
[tables.p]
path = "p.csv"
[tables.a]
path = "a.csv"
refers = {b = "b.id"}
[tables.b]
path = "b.csv"
refers = {a = "a.id"}
"""
    assert "a.b → b.a → a.id" in refused(text, "must not come back")


def chain(length: int, name: str = "t") -> str:
    head = '[dataset]\nname = "x"\nunit = "t0.id"\n[tables.t0]\npath = "t.csv"\n'
    links = (
        f'[tables.{name}{n}]\npath = "t.csv"\nrefers = {{up = "{name}{n - 1}.id"}}\n'
        for n in range(1, length + 1)
    )
    return head + "".join(links)


def test_a_way_has_at_most_eight_keys() -> None:
    assert len(read(chain(8)).way("t8")) == 8
    refused(chain(9), "at most 8 keys")


def test_keys_must_be_of_one_type() -> None:
    text = CLINIC.replace('patient_id = {type = "integer"}', 'patient_id = {type = "text"}')
    refused(text, "a key of the same type; got 'patient_id' of type 'text' to patients.id")


@pytest.mark.parametrize(
    ("old", "new", "words", "place"),
    [
        ("max_rows = 8", "max_row = 8", "Did you mean `max_rows`", "max_row"),
        ("range = [0, 110]", "range = [0]", "least and the greatest", None),
        ("range = [0, 110]", "range = [110, 0]", "lower one first", None),
        ("range = [0, 110]", "range = [0, 2020-01-01]", "two numbers or two dates", None),
        ("range = [0, 110]", "range = [0, nan]", "must be a finite number", None),
        ("range = [0, 110]", 'range = "0..110"', "must be a list", None),
        ("range = [0, 110]", "rang = [0, 110]", "Did you mean `range`", None),
        ('type = "number", range = [0, 5000]', 'type = "text", range = [0, 1]', "numbers", None),
        ('type = "date"', 'type = "number"', "got dates", None),
        ('type = "date"', 'type = "time"', "must be one of 'truth'", None),
        ('values = ["F", "M", "X"]', 'values = ["F", 1]', "of what the column holds", None),
        ('values = ["F", "M", "X"]', 'values = ["F", "F"]', "every value once", None),
        ('values = ["F", "M", "X"]', "values = []", "must hold something", None),
        ('unit = "patients.id"', 'unit = "patient.id"', "a table of the dataset", None),
        ('unit = "patients.id"', 'unit = "cities.name"', "must be private", None),
        ('unit = "patients.id"', 'unit = "row"', "for one private table", None),
        ('"visits.id"}', '"visit.id"}', "a table of the dataset", None),
        ('"visits.id"}', '"visits."}', "a table of the dataset", None),
        ('path = "lab.csv"\n', "", "must have `path`", None),
        ("spend = {epsilon = 1}", "spend = {epsilon = 0}", "", None),
        ("spend = {epsilon = 1}", "spend = {epsilon = -1}", "epsilon", None),
        ("[tables.cities]", "[tables.Visits]", "differ by more than case", None),
        ('name = "clinic"\n', "", "must have `name`", None),
        ('name = "clinic"\n', 'name = "c"\nzone = "Oslo"\n', "zone", None),
        ("[bounds]", "[bound]", "Did you mean `bounds`", None),
        ("public = true", 'public = "yes"', "must be true or false", None),
    ],
)
def test_mistakes_are_told_with_their_place(
    old: str, new: str, words: str, place: str | None
) -> None:
    assert old in CLINIC
    text = CLINIC.replace(old, new)
    if not words:
        read(text)
        return
    message = refused(text, re.escape(words))
    if place is not None:
        line = 1 + text[: text.index(place)].count("\n")
        assert message.startswith(f"clinic.toml:{line}:1:")


def test_names_may_hold_what_they_like() -> None:
    name = """it's; "a" .b ${x} %s"""
    quoted = json.dumps(name)
    text = f"""
[dataset]
name = "x"
unit = {json.dumps(name + ".i d")}
[tables.{quoted}]
path = "p.csv"
columns.{json.dumps('"')} = {{range = [0, 1]}}
"""
    data = read(text)
    assert data.unit == Reference(name, "i d")


def test_an_ambiguous_key_is_refused() -> None:
    text = """
[dataset]
name = "x"
unit = "a.b.c"
[tables.a]
path = "p.csv"
[tables."a.b"]
path = "p.csv"
refers = {x = "a.id"}
"""
    refused(text, "a table of the dataset")


def test_ten_thousand_tables() -> None:
    head = '[dataset]\nname = "x"\nunit = "p.id"\n[tables.p]\npath = "t.csv"\n'
    tables = (f'[tables.t{n}]\npath = "t.csv"\nrefers = {{p = "p.id"}}\n' for n in range(9_999))
    assert len(read(head + "".join(tables)).private) == 10_000
    more = '[tables.u]\npath = "t.csv"\n'
    tables = (f'[tables.t{n}]\npath = "t.csv"\nrefers = {{p = "p.id"}}\n' for n in range(9_999))
    refused(head + "".join(tables) + more, "at most 10000 tables")


def test_the_schema_is_what_is_published() -> None:
    schema = json.loads(schema_text())
    assert schema == dataset_schema()
    jsonschema.Draft202012Validator.check_schema(schema)


def test_text_files_are_described_as_in_plans() -> None:
    its_own = plan_schema()["$defs"]["data_of_its_own"]["properties"]["csv"]
    assert dataset_schema()["$defs"]["table"]["properties"]["csv"] == its_own


def outcome(text: str) -> str:
    try:
        return f"clinic.toml: {read(text).name}"
    except LeastNoiseError as refusal:
        return str(refusal)


def test_changed_files_end_in_a_dataset_or_a_refusal() -> None:
    """Letters dropped, doubled and exchanged: no other exception, no traceback."""
    dice = random.Random(18)
    words = ["[", "]", "{", "}", '"', "=", ".", "\n", "\x00", "refers", "tables", "1e400", "nan"]
    for _ in range(400):
        letters = list(CLINIC)
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(letters))
            letters[at : at + dice.randint(0, 3)] = dice.choice([*words, letters[at] * 2])
        assert outcome("".join(letters)).startswith("clinic.toml:")


def test_a_mapping_has_the_words_of_a_file() -> None:
    made = ln.dataset(
        {
            "dataset": {"name": "clinic", "unit": "patients.id"},
            "tables": {
                "patients": {
                    "data": frames()["patients"],
                    "columns": {"age": {"range": (0, 110)}},
                },
                "visits": {"path": "v.csv", "refers": {"patient_id": "patients.id"}},
            },
        }
    )
    assert made.table("patients").fact("age").upper == 110
    assert made.owner_column("visits") == "patient_id"


def words_of_python(**more: Any) -> Dataset:
    return ln.dataset(
        tables=frames(),
        unit="patients.id",
        refers={"visits.patient_id": "patients.id"},
        columns={"patients.age": {"range": (0, 500)}},
        name="clinic",
        **more,
    )


def test_python_has_words_of_its_own() -> None:
    made = words_of_python(bounds={"max_rows": 3}, neighbours="replace")
    assert made.bounds == {"max_rows": 3}
    assert made.table("visits").neighbours.name == "REPLACE"
    assert made.table("visits").unit == "patient_id"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"public": ["cities"]}, "`public` must name tables"),
        ({"refers": {"patient_id": "patients.id"}}, "must name one of the tables"),
        ({"columns": {"patients.age": {"rang": 1}}}, "Did you mean `range`"),
        ({"columns": {"patients.age": {"range": [0, float("nan")]}}}, "finite"),
        ({"tables": {}}, "must have tables"),
        ({"tables": {"patients": 3}}, "a path, a pandas"),
        ({"bound": {}}, "may have"),
        ({"unit": ""}, "a table of the dataset"),
    ],
)
def test_mistakes_in_python(change: dict[str, Any], words: str) -> None:
    said: dict[str, Any] = {"tables": {"patients": frames()["patients"]}, "unit": "patients.id"}
    with pytest.raises(InvalidParameter, match=re.escape(words)):
        ln.dataset(**{**said, "name": "x", **change}).table("patients")


def test_a_file_says_everything(tmp_path: Path) -> None:
    path = clinic_in(tmp_path)
    assert ln.dataset(path).name == ln.dataset(str(path)).name == "clinic"
    with pytest.raises(InvalidParameter, match="`unit` beside it"):
        ln.dataset(path, unit="row")
    with pytest.raises(InvalidParameter, match="must be a file in UTF-8"):
        ln.dataset(tmp_path / "none.toml")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidParameter, match="must be a file in UTF-8"):
        ln.dataset(path)


@settings(max_examples=200)
@given(
    keys=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12),
    public=st.sets(st.integers(1, 5)),
    owners=st.dictionaries(st.integers(1, 5), st.integers(0, 11)),
)
def test_every_way_leads_from_key_to_key_to_the_unit(
    keys: list[tuple[int, int]], public: set[int], owners: dict[int, int]
) -> None:
    """Whatever refers to whatever: a dataset has ways that are ways, or it is refused."""
    tables: dict[str, dict[str, Any]] = {f"t{n}": {"path": "t.csv"} for n in range(6)}
    for number, (here, there) in enumerate(keys):
        tables[f"t{here}"].setdefault("refers", {})[f"c{number}"] = f"t{there}.id"
    for number in public:
        tables[f"t{number}"]["public"] = True
    for number, chosen in owners.items():
        tables[f"t{number}"]["owner"] = f"c{chosen}"
    try:
        made = ln.dataset({"dataset": {"name": "x", "unit": "t0.id"}, "tables": tables})
    except InvalidParameter:
        return
    for name in made.private:
        way = made.way(name)
        stops = [name, *(key.table for _, key in way)]
        assert stops[-1] == "t0"
        assert len(set(stops)) == len(stops) <= 9
        assert [column.table for column, _ in way] == stops[:-1]
        assert not any(made[stop].public for stop in stops)
        for column, key in way:
            assert (column.column, key) in made[column.table].refers
