"""A release for machines: schema.org, CSV on the Web, and the registry of deployments."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.publication import publication
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.described import described
from tests.reports.releases import PROMISE, release, single, table

FILES = {"count by city": {"csv": "01_count.csv", "json": "01_count.json"}, "units": {}}
WORDS = publication(
    title="Visits: clinics, 2026", publisher="Agency “X”", licence="CC BY 4.0", region="Norway"
)


def made(promise: Guarantee = PROMISE) -> PlanRelease:
    found = release([table("count by city", ["Oslo", "Bergen"]), single()], promise=promise)
    return replace(found, facts=replace(found.facts, publication=WORDS))


def test_the_dataset_of_schema_org() -> None:
    told = json.loads(described("dataset.json", made(), FILES))
    assert told["@context"] == "https://schema.org/"
    assert told["@type"] == "Dataset"
    assert told["name"] == "Visits: clinics, 2026"
    assert told["creator"] == {"@type": "Organization", "name": "Agency “X”"}
    assert told["datePublished"] == "2026-11-15"
    assert [each["contentUrl"] for each in told["distribution"]] == [
        "release.json", "01_count.csv", "01_count.json",
    ]  # fmt: skip
    assert [each["name"] for each in told["variableMeasured"]] == ["count by city", "units"]
    assert "ε = 1, δ = 10⁻⁷" in told["measurementTechnique"]


def test_what_nobody_said_is_left_out() -> None:
    told = json.loads(described("dataset.json", release([single()]), {}))
    assert not {"creator", "license", "spatialCoverage"} & told.keys()


def test_csv_on_the_web_describes_every_column() -> None:
    told = json.loads(described("csv-metadata.json", made(), FILES))
    (found,) = told["tables"]  # the other one is in no CSV file
    assert found["url"] == "01_count.csv"
    columns = found["tableSchema"]["columns"]
    header = made().tables[0].to_csv().splitlines()[0].split(",")
    assert [column["titles"] for column in columns] == header
    assert [column["datatype"] for column in columns[:3]] == ["string", "integer", "number"]
    assert found["tableSchema"]["primaryKey"] == ["city"]


def test_csv_on_the_web_knows_dates_and_truths() -> None:
    days = replace(
        table("count by city", ["a", "b"]),
        columns=("day", "smoker"),
        rows=((date(2026, 1, 1), True), (date(2026, 1, 2), False)),
        values=np.array([20000.0, 20001.0]),
        dated=True,
    )
    told = json.loads(described("csv-metadata.json", release([days]), FILES))
    columns = told["tables"][0]["tableSchema"]["columns"]
    assert [column["datatype"] for column in columns[:4]] == ["date", "boolean", "date", "number"]


def read_yaml(text: str) -> dict[str, Any]:
    """The small part of YAML that is written."""
    root: dict[str, Any] = {}
    open_: list[tuple[int, Any]] = [(-1, root)]
    lines = text.splitlines()
    for place, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        while depth <= open_[-1][0]:
            open_.pop()
        body = line.strip()
        if body.startswith("- "):
            open_[-1][1].append(json.loads(body[2:]))
            continue
        name, _, value = body.partition(": ") if ": " in body else (body.rstrip(":"), "", "")
        if value:
            open_[-1][1][name] = json.loads(value)
        else:
            inside: Any = [] if lines[place + 1].strip().startswith("- ") else {}
            open_[-1][1][name] = inside
            open_.append((depth, inside))
    return root


@pytest.mark.parametrize(
    ("promise", "variant", "parameters"),
    [
        (ln.PureDP(epsilon="0.5"), "Pure DP", {"epsilon": 0.5}),
        (ln.ApproxDP(epsilon=1, delta="1e-7"), "Approximate DP", {"epsilon": 1, "delta": 1e-7}),
        (ln.ZCDP(rho="0.1"), "Zero-concentrated DP", {"rho": 0.1}),
        (ln.ZCDP(rho=1, delta="1e-9"), "Zero-concentrated DP", {"rho": 1, "delta": 1e-9}),
        (ln.RDP(order=4, epsilon=1), "Renyi DP", {"epsilon": 1}),
        (ln.GDP(mu=1), "Custom", {}),
    ],
)
def test_the_registry_has_its_form(
    promise: Guarantee, variant: str, parameters: dict[str, float]
) -> None:
    text = described("registry.yaml", made(promise), FILES)
    told = read_yaml(text)
    assert list(told) == ["url_slug", "status", "tier", "deployment"]
    assert told["url_slug"] == "visits-clinics-2026-2026"
    basic = told["deployment"]["basic"]
    assert {"name", "data_curators", "description", "intended_use", "data_product_type"} <= set(
        basic
    )
    assert basic["data_curators"] == ["Agency “X”"]
    assert basic["intended_use"] == "to be filled in"
    assert basic["publication_date"] == "2026-11-15"
    assert told["deployment"]["dp_variant"]["variant_name"] == variant
    assert told["deployment"]["privacy_loss"]["privacy_parameters"] == parameters
    assert told["deployment"]["privacy_loss"]["privacy_unit"] == "patient"
    assert "1e-07" not in text.replace("1.0e-07", "")  # YAML 1.1 would read it as text
