"""What `init` writes can be previewed at once, whatever names the tables and columns have."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.files.load import DataFile
from leastnoise.files.write import first_file
from leastnoise.tables.sources import find_table

names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9)


@settings(max_examples=30, deadline=None)
@given(names, st.lists(names, max_size=4), names, st.sampled_from([None, 7]))
def test_a_first_file_can_be_read_whatever_its_names(
    column: str, others: list[str], unit: str, most: int | None
) -> None:
    columns = {each.casefold(): each for each in [*others, column]}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "the table's.parquet"
        pq.write_table(pa.table({each: [1, 2] for each in columns.values()}), place)
        table = find_table(str(place))
        path = Path(folder) / "first.toml"
        chosen = columns[column.casefold()]
        text = first_file(
            path, {table.name: table}, {table.name: str(place)}, unit, {table.name: chosen}, most
        )
        path.write_text(text, encoding="utf-8")
        file = DataFile.open(path)
        assert file.unit == unit
        (query,) = file.plan().queries.values()
        assert list(query.aggregates) == [table.name]


def test_stubs_have_no_range_and_ids_have_no_stub(tmp_path: Path) -> None:
    table = pa.table(
        {"patient_id": [1], "VisitID": [1], "visit_id": [2], "cost": [3.5], "sex": ["F"]}
    )
    pq.write_table(table, tmp_path / "visits.parquet")
    found = find_table(str(tmp_path / "visits.parquet"))
    text = first_file(
        tmp_path / "x.toml", {"visits": found}, {"visits": str(tmp_path / "visits.parquet")}, "patient",
        {"visits": "patient_id"}, None,
    )  # fmt: skip
    assert "# columns.cost = {range = [LOWEST, HIGHEST]}" in text
    assert '# columns.sex = {values = ["ONE", "OTHER"]}' in text
    assert "_id =" not in text and "3.5" not in text
    uncommented = text.replace("# columns.cost", "columns.cost")
    (tmp_path / "x.toml").write_text(uncommented, encoding="utf-8")
    with pytest.raises(ln.InvalidInput, match="this is no TOML"):
        ln.load(tmp_path / "x.toml")
