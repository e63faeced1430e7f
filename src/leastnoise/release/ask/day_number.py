"""`DayNumber`: a date as its number of days, where dates are cut into parts of a range."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.terms import Column, Term


@dataclass(frozen=True, eq=False)
class DayNumber(Term):
    """How many days after 1970-01-01 a date is, or the date of a time stamp; called as that."""

    term: Term

    @property
    def parts(self) -> tuple[Term, ...]:
        """The dates."""
        return (self.term,)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Those of the dates."""
        return self.term.columns

    def __str__(self) -> str:
        return str(self.term)
