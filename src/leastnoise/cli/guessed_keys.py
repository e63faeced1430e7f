"""Whose rows tables have, guessed from the names of tables and columns alone."""

from collections.abc import Collection, Mapping
from itertools import permutations

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.schema import Schema
from leastnoise.release.file.column_guesses import PEOPLE

_ENDS = ("_id", "id", "_no", "_nr", "_number", "_key", "_code")


@dataclass(frozen=True)
class GuessedKeys:
    """A guess for people to check.

    Attributes:
        unit: the key that names people, such as ("patients", "id"); None if none suggests itself.
        refers: by table and column, the table and key it seems to refer to.
    """

    unit: tuple[str, str] | None
    refers: Mapping[tuple[str, str], tuple[str, str]]

    def lost(self, tables: Mapping[str, Schema]) -> list[str]:
        """The tables that seem to lead to nobody."""
        reached = {self.unit[0]} if self.unit else set()
        while True:
            more = {here for (here, _), (there, _) in self.refers.items() if there in reached}
            if more <= reached:
                return [name for name in tables if name not in reached]
            reached |= more


def guessed_keys(tables: Mapping[str, Schema], undeclared: Collection[str] = ()) -> GuessedKeys:
    """Which columns seem to be keys: patient_id or patient of visits is the id of patients.

    Args:
        tables: their columns.
        undeclared: tables whose columns are text as long as nobody says otherwise.
    """
    refers: dict[tuple[str, str], tuple[str, str]] = {}
    for (here, schema), (there, other) in permutations(tables.items(), 2):
        key = _key(there, other)
        for name, kind in schema.columns:
            words = {_plain(f"{_one(there)}{end}") for end in ("", *_ENDS)}
            if key is None or _plain(name) not in words:
                continue
            if {here, there} & set(undeclared) or dict(other.columns)[key] is kind:
                refers.setdefault((here, name), (there, key))
    return GuessedKeys(_unit(tables, refers), refers)


def _unit(
    tables: Mapping[str, Schema], refers: Mapping[tuple[str, str], tuple[str, str]]
) -> tuple[str, str] | None:
    for word in PEOPLE:
        for name, schema in tables.items():
            key = _key(name, schema)
            if key is not None and word in {_one(name), name.lower()}:
                return name, key
    for word in (*PEOPLE, ""):
        for name, schema in tables.items():
            for column, kind in schema.columns:
                named = word and _plain(column) in {_plain(word + end) for end in _ENDS}
                if named and kind.can_be_unit:
                    return name, column
    pointed = [there for there in refers.values() if there[0] not in {here for here, _ in refers}]
    return pointed[0] if pointed else None


def _key(name: str, schema: Schema) -> str | None:
    """The column that seems to name the rows of a table."""
    able = [column for column, kind in schema.columns if kind.can_be_unit]
    wanted = ["id", *(f"{_one(name)}{end}" for end in _ENDS)]
    return next((c for word in wanted for c in able if _plain(c) == _plain(word)), None)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _one(name: str) -> str:
    """What one row of a table is called: patients are patient, cities city."""
    word = name.lower().rsplit(".", 1)[-1]
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
