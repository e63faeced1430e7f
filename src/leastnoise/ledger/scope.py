"""`Scope`: what a promise is about: which data, whose rows, and which change it hides."""

from dataclasses import fields

from leastnoise import _check
from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError
from leastnoise.ledger.arguments import checked_text

NEIGHBOURS = ("add_remove", "replace")
ROW = "row"
_COLUMN = "column "
_REMEDY = {
    "dataset": (
        "Use the ledger of your data. If these are the same data under another name or in another "
        "place, say their name: read(…, dataset=…), or `name` in a plan's [data]."
    ),
    "unit": (
        "Promises about different units do not add up. Ask about this unit, or begin another "
        "ledger, whose promise holds for that unit alone."
    ),
    "neighbours": (
        "Promises about different neighbours do not add up. Ask about these, or begin another "
        "ledger, whose promise holds for those neighbours alone."
    ),
}


@dataclass(frozen=True)
class Scope:
    """What promises are about; what is empty was not said.

    Attributes:
        dataset: the name of the data.
        unit: the column that says whose row it is, or "row" if every row is a unit of its own.
        neighbours: "add_remove" or "replace".
    """

    dataset: str = ""
    unit: str = ""
    neighbours: str = ""

    @classmethod
    def checked(cls, dataset: str, unit: str, neighbours: str) -> "Scope":
        """A scope from what somebody wrote.

        Raises:
            InvalidParameter: no printable text, or there are no such neighbours.
        """
        if neighbours not in ("", *NEIGHBOURS):
            raise _check.refuse(
                "`neighbours` must be 'add_remove' or 'replace'",
                f"{neighbours!r:.60}",
                "Write one of them.",
            )
        return cls(checked_text(dataset, "dataset"), checked_text(unit, "unit"), neighbours)

    @classmethod
    def of(cls, dataset: str, unit: str | None, neighbours: str) -> "Scope":
        """The scope of a table.

        A column may be called "row" itself, so its name gets a word in front.
        """
        if unit is None:
            return cls(dataset, ROW, neighbours)
        plain = unit != ROW and not unit.startswith(_COLUMN)
        return cls(dataset, unit if plain else _COLUMN + unit, neighbours)

    @property
    def said(self) -> dict[str, str]:
        """What is not empty."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value}

    def filled(self, other: "Scope") -> "Scope":
        """The same, with what was not said taken from another."""
        return Scope(
            self.dataset or other.dataset,
            self.unit or other.unit,
            self.neighbours or other.neighbours,
        )

    def refuse_contrary(self, other: "Scope") -> None:
        """Refuses a scope that says something else; it may say less.

        Raises:
            LedgerError: another dataset, unit or neighbours.
        """
        for name, value in other.said.items():
            if self.said.get(name, value) != value:
                raise _other(name, self.said[name], repr(value))

    def refuse_other(self, other: "Scope") -> None:
        """Refuses a scope that says something else, or leaves out what is known here.

        One that says nothing at all is let through: whoever charges by hand answers for it.

        Raises:
            LedgerError: another dataset, unit or neighbours.
        """
        self.refuse_contrary(other)
        for name in self.said.keys() - other.said.keys() if other.said else ():
            raise _other(name, self.said[name], f"a release that names no {name}")


def _other(name: str, known: str, found: str) -> LedgerError:
    rule = "body of data" if name == "dataset" else f"{name.removesuffix('s')} of promises"
    return LedgerError(
        f"a ledger is for one {rule}; this one is for {name} {known!r}, and got {found}. "
        f"{_REMEDY[name]}"
    )
