"""`dataset`: a description of data, from a file, from a mapping, or in Python's own words."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.release.dataset.dataset import Dataset
from leastnoise.release.dataset.dataset_schema import DescribedInMapping, described_in_text
from leastnoise.release.dataset.described import described

_LONGEST = 1 << 24  # bytes; ten thousand tables fit


def dataset_file(text: str, beside: Path, name: str = "dataset") -> Dataset:
    """Read a dataset's description; paths in it are relative to its own folder.

    Nothing is read of the data.

    Args:
        text: TOML, as docs/describe_your_data.md describes it.
        beside: the folder of the file.
        name: what to call the file in messages.

    Raises:
        InvalidParameter: not TOML, a part is missing, unknown or of a wrong type, or tables without
            one way to the unit; the message begins with the file, the line and the column.
    """
    return described(described_in_text(text, name), beside, {})


def dataset(  # noqa: PLR0913 - each is a fact of its own
    said: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    tables: Mapping[str, Any] | None = None,
    unit: str = "",
    refers: Mapping[str, str] | None = None,
    public: Iterable[str] = (),
    columns: Mapping[str, Mapping[str, Any]] | None = None,
    name: str = "",
    **more: Any,
) -> Dataset:
    """Data described once: tables, whose rows they are, ranges and public values.

    All of it is public and declared; nothing is taken from rows.

    Args:
        said: the path of a file that says all of it (docs/describe_your_data.md), or a mapping
            with the same words; then nothing else is given.
        tables: by name, tables in memory or their paths; or mappings with the words of a file,
            where `data` may be a table in memory.
        unit: the key that names the units, such as "patients.id", or "row".
        refers: keys between tables: {"visits.patient_id": "patients.id"}.
        public: the tables that are the same whoever is in the data.
        columns: what is known of columns: {"visits.cost": {"range": [0, 5000], "unit": "NOK"}}.
        name: of the data, by which their ledger knows them.
        more: `neighbours` and `zone` as in a file's [dataset]; `bounds` and `budget` as there.

    Raises:
        InvalidParameter: a part is missing, unknown or of a wrong type, or a table has no way to
            the unit.

    Example:
        >>> import pandas as pd
        >>> data = dataset(
        ...     tables={
        ...         "patients": pd.DataFrame({"id": [1, 2], "born": [1950, 1980]}),
        ...         "visits": pd.DataFrame({"patient_id": [1, 1, 2], "cost": [80.0, 120.0, 40.0]}),
        ...     },
        ...     unit="patients.id",
        ...     refers={"visits.patient_id": "patients.id"},
        ...     columns={"visits.cost": {"range": [0, 500]}},
        ... )
        >>> plan = data.plan("visits", max_rows=5).mean("cost")
        >>> plan.questions[0].name
        'mean of cost'
    """
    if said is None:
        words = _Words(tables or {}, refers or {}, columns or {}, public)
        return _from_mapping(words.described(name, unit, more))
    beside = {"tables": tables, "unit": unit, "refers": refers, "columns": columns, "name": name}
    given = [word for word, value in {**beside, "public": tuple(public), **more}.items() if value]
    if given:
        raise _check.refuse(
            "a file or a mapping says all about a dataset",
            f"`{given[0]}` beside it",
            "Write it there.",
        )
    if isinstance(said, Mapping):
        return _from_mapping(said)
    path = Path(os.fspath(said))
    return dataset_file(_text(path), path.parent, path.name)


def _text(path: Path) -> str:
    rule = "`dataset` must be a file in UTF-8"
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError):
        found = f"{path.name!r:.100}, which cannot be read as such"
        raise _check.refuse(rule, found, "Draft one with `leastnoise init`.") from None
    if len(content) <= _LONGEST:
        return text
    raise _check.refuse(rule, f"more than {_LONGEST} bytes", "Make several datasets.")


def _from_mapping(said: Mapping[str, Any]) -> Dataset:
    """Tables in memory are put aside: the schema knows words alone."""
    tables = said.get("tables", {})
    if not isinstance(tables, Mapping):
        return described(DescribedInMapping(said), Path(), {})
    data, plain = {}, {}
    for name, table in tables.items():
        plain[name] = dict(table) if isinstance(table, Mapping) else table
        if isinstance(table, Mapping) and "data" in table:
            data[name] = plain[name].pop("data")
    return described(DescribedInMapping({**said, "tables": plain}), Path(), data)


@dataclass(frozen=True)
class _Words:
    """What Python's own words say of tables: by the names of tables, or visits.cost."""

    tables: Mapping[str, Any]
    refers: Mapping[str, str]
    columns: Mapping[str, Mapping[str, Any]]
    public: Iterable[str]

    def described(self, name: str, unit: str, more: Mapping[str, Any]) -> dict[str, Any]:
        """The same in the words of a file."""
        made = {each: _table(table) for each, table in self.tables.items()}
        for word in ("refers", "columns"):
            for said, value in getattr(self, word).items():
                table, column = _named(said, made, word)
                made[table].setdefault(word, {})[column] = value
        for each in [self.public] if isinstance(self.public, str) else self.public:
            if each not in made:
                raise _check.refuse(
                    "`public` must name tables", _check.shown(each), "Name those given."
                )
            made[each]["public"] = True
        parts = {part: more[part] for part in ("bounds", "budget") if part in more}
        head = {part: value for part, value in more.items() if part not in parts}
        return {"dataset": {"name": name, "unit": unit, **head}, "tables": made, **parts}


def _table(said: Any) -> dict[str, Any]:
    if isinstance(said, Mapping):
        return {word: _copied(value) for word, value in said.items()}
    if isinstance(said, str | os.PathLike):
        return {"path": os.fspath(said)}
    return {"data": said}


def _copied(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _named(said: str, tables: Mapping[str, Any], word: str) -> tuple[str, str]:
    """A table and its column, as in visits.cost."""
    dots = [at for at, letter in enumerate(str(said)) if letter == "."]
    found = [(said[:at], said[at + 1 :]) for at in dots if said[:at] in tables]
    if len(found) == 1:
        return found[0]
    known = ", ".join(map(repr, list(tables)[:20]))
    raise _check.refuse(
        f"`{word}` must name one of the tables and its column",
        _check.shown(said),
        f"Write 'visits.cost', say; tables are: {known}.",
    )
