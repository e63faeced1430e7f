"""`UnparsedRows`: how many rows have a field that is not what its column was declared to hold."""

from leastnoise._dataclass import dataclass
from leastnoise.release.questions.count import Count


@dataclass(frozen=True)
class UnparsedRows(Count):
    """A count of rows like any other; only its words differ."""

    columns: tuple[str, ...] = ()

    def words(self) -> str:
        """What is asked, in a plain sentence."""
        listed = ", ".join(self.columns)
        return f"The number of rows with text that is not what was declared, in {listed}."
