"""`Unparsed`: whether a row has a field that is not what its column was declared to hold."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.terms import Column, Term

_MARK = "\x1funparsed "  # no column that can be asked about has such a letter in its name


@dataclass(frozen=True, eq=False)
class Unparsed(Term):
    """True where text in one of these columns could not be read as what was declared.

    It is never missing; a field without text is no such field.
    """

    fields: tuple[Column, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those whose fields are looked at."""
        return self.fields

    def __str__(self) -> str:
        return f"unparsed {', '.join(each.name for each in self.fields)}"


def flag_of(column: str) -> str:
    """Under which name an engine's scan says that a column's field could not be read."""
    return f"{_MARK}{column}"


def flagged_by(name: str) -> str:
    """The column that a flag is about; of another name, itself."""
    return name.removeprefix(_MARK)


def is_flag(name: str) -> bool:
    """Whether a column of a scan is such a flag, and none of the table's."""
    return name.startswith(_MARK)
