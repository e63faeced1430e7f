"""The page about datasets shows files that can be read."""

import re
from pathlib import Path

from leastnoise.release.dataset.dataset_file import dataset_file
from leastnoise.release.dataset.dataset_schema import dataset_schema
from leastnoise.release.file.plan_schema import plan_document

PAGE = (Path(__file__).parents[3] / "docs" / "describe_your_data.md").read_text("utf-8")
DATASET, PLAN = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_its_dataset_and_its_plan_are_read() -> None:
    data = dataset_file(DATASET, Path())
    assert [len(data.way(name)) for name in data.private] == [0, 1, 2]
    assert plan_document(PLAN, "plan.toml").said["data"]["join"] == ["patients", "cities"]


def test_every_word_of_the_schema_is_on_the_page() -> None:
    schema = dataset_schema()
    words = {
        *schema["properties"],
        *schema["properties"]["dataset"]["properties"],
        *schema["$defs"]["table"]["properties"],
        *schema["$defs"]["column"]["properties"],
        *schema["properties"]["budget"]["properties"],
    }
    reference = PAGE.partition("## All that a dataset may say")[2]
    assert {word for word in words if not re.search(rf"\b{word}\b", reference)} == set()
