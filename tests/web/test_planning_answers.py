"""The planning view's answers are the library's own."""

import pytest

import leastnoise as ln
from leastnoise.web.planning_answers import delta_advice, sample_sizes, shapes
from tests.web.client import Client

SIZES = {
    "epsilon": "1", "delta": "0", "columns": "100", "error": "0.05", "objective": "max",
    "confidence": "0.95",
}  # fmt: skip


def test_sample_sizes_are_those_of_the_library() -> None:
    found = sample_sizes(SIZES)
    own = ln.sample_size(
        dimension=100, error="0.05", epsilon=1, objective="max", confidence="0.95", values=(0, 1)
    )
    assert found["records"] == own.records
    assert found["impossible_below"] == own.impossible_below <= own.records
    assert [each["records"] for each in found["options"]] == [o.records for o in own.options]


def test_narrower_bounds_have_their_scope() -> None:
    found = sample_sizes(SIZES | {"delta": "1e-6", "objective": "squared"})
    own = ln.sample_size(
        dimension=100, error="0.05", epsilon=1, delta="1e-6", objective="squared", values=(0, 1)
    )
    assert [each["records"] for each in found["narrower"]] == [b.records for b in own.bounds[1:]]
    assert found["narrower"][-1]["scope"].endswith("-zCDP")


@pytest.mark.parametrize(
    ("part", "value"),
    [("columns", "0"), ("columns", "1e9"), ("error", "0"), ("error", "2"), ("objective", "x"),
     ("objective", None), ("confidence", "1"), ("confidence", ""), ("epsilon", "-1")],
)  # fmt: skip
def test_hostile_sizes_are_refused(client: Client, part: str, value: object) -> None:
    assert client.refused("sample_size", **SIZES | {part: value}, page="x")["rule"]


def test_delta_advice_is_that_of_the_library() -> None:
    found = delta_advice({"records": "100000", "delta": "1e-5"})
    assert found["delta"] == "1E-11"
    assert found["warning"] is not None
    assert found["words"] == {"delta": "10⁻¹¹", "used": "10⁻⁵", "exposure": "0.633"}
    assert delta_advice({"records": "100000", "delta": "0"})["warning"] is None
    assert delta_advice({"records": 1})["delta"] == "0.000001"


@pytest.mark.parametrize("records", ["0", "-5", "1.5", "", "1e30", None, "many"])
def test_hostile_numbers_of_people_are_refused(client: Client, records: object) -> None:
    assert "records" in client.refused("delta", records=records, delta="0")["rule"]


@pytest.mark.parametrize("delta", ["0", "1e-6"])
def test_every_shape_of_data_is_priced(delta: str) -> None:
    rows = shapes({"epsilon": "1", "delta": delta})["rows"]
    assert len(rows) >= 8
    assert all(set(row) == {"shape", "call", "mechanism", "error"} for row in rows)
    one = ln.optimal(sensitivity=1, epsilon=1, delta=delta)
    assert f"±{float(one.error('0.95')):.4g} " in rows[0]["error"]
