"""What a plan says about its data: a table of its own, or one of a dataset described elsewhere."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leastnoise._dataclass import dataclass
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.ask.table import Table
from leastnoise.release.document.document import Document
from leastnoise.release.measure.backends.spark_master import spark_session
from leastnoise.release.read import read

if TYPE_CHECKING:
    from leastnoise.release.dataset.dataset import Dataset

_NEIGHBOURS = {"add_remove": Neighbours.ADD_REMOVE, "replace": Neighbours.REPLACE}


@dataclass(frozen=True)
class PlanData:
    """The table that is asked about, with what its dataset says where the plan says nothing.

    Attributes:
        table: the table.
        dataset: the dataset it is one of, if there is one.
        places: where rows of people are: none of them is a list of public keys.
    """

    table: Table
    dataset: "Dataset | None"
    places: tuple[str | Path, ...]

    @property
    def bounds(self) -> Mapping[str, Any]:
        """The dataset's bounds."""
        return {} if self.dataset is None else self.dataset.bounds

    @property
    def budget(self) -> Mapping[str, Guarantee | str | Path]:
        """What the dataset says about the budget: ledger, total, spend."""
        if self.dataset is None:
            return {}
        found = {name: getattr(self.dataset, name) for name in ("ledger", "total", "spend")}
        return {name: value for name, value in found.items() if value is not None}


def plan_data(document: Document, beside: Path) -> PlanData:
    """The table that a plan is about.

    Raises:
        InvalidParameter: there is none, or not as described; the message says where.
    """
    said = document.said["data"]
    with document.about("data"):
        return _of_dataset(said, beside) if "dataset" in said else _of_its_own(said, beside)


def _of_dataset(said: Mapping[str, Any], beside: Path) -> PlanData:
    from leastnoise.release.dataset.dataset_file import dataset  # noqa: PLC0415 - few plans have one

    described = dataset(beside / said["dataset"])
    names = [said["join"]] if isinstance(said.get("join"), str) else said.get("join", [])
    table = described.plan(said.get("table"), join=names).table
    places = (described[name].data for name in described.private)
    return PlanData(
        table, described, tuple(each for each in places if isinstance(each, str | Path))
    )


def _of_its_own(said: Mapping[str, Any], beside: Path) -> PlanData:
    name, place = said.get("table"), place_beside(said["path"], beside)
    table = read(
        place,
        unit=None if said["unit"] == "row" else said["unit"],
        table=tuple(name) if isinstance(name, list) else name,
        types=said.get("types"),
        delimiter=said.get("delimiter"),
        csv=said.get("csv"),
        neighbours=_NEIGHBOURS[said.get("neighbours", "add_remove")],
        session=spark_session(said["spark"]) if "spark" in said else None,
        dataset=str(said.get("name", said["path"])),
        zone=said.get("zone"),
    )
    return PlanData(table, None, (place,))


def place_beside(said: str, beside: Path) -> str | Path:
    """A database's URL as it is; a file beside the plan."""
    return said if "://" in said else beside / said
