"""`ReleaseFacts`: what was asked, of whom, and what was promised; public."""

from leastnoise._dataclass import dataclass
from leastnoise.people.persons import person
from leastnoise.release.ask.publication import NOTHING_SAID, Publication
from leastnoise.release.result.chosen import ChosenFacts
from leastnoise.release.result.flag import Flag, FlagKind
from leastnoise.release.result.forecast import Forecast


@dataclass(frozen=True)
class QuestionFacts:
    """One question.

    Attributes:
        words: what was asked, in a plain sentence.
        forecast: the error that was told before the release.
        max_groups: how many groups of one unit counted; None if that had no effect.
        max_rows: how many rows of one unit counted, in each group or in all; None if no effect.
        max_total: of a clip: how much one unit weighed at most in all groups together.
        max_norm: of a clip: how long the vector of one unit's weights was at most.
        kind: which kind of question, such as "Count" or "Histogram"; empty in early releases.
        measure: what its answers are measured in, such as "kr", as far as that was declared.
    """

    words: str
    forecast: Forecast
    max_groups: int | None = None
    max_rows: int | None = None
    max_total: int | None = None
    max_norm: int | None = None
    kind: str = ""
    measure: str = ""

    @property
    def bounds(self) -> dict[str, int]:
        """The bounds that had an effect, by name."""
        named = {"max_groups": self.max_groups, "max_rows": self.max_rows}
        clips = {"max_total": self.max_total, "max_norm": self.max_norm}
        return {name: bound for name, bound in (named | clips).items() if bound is not None}


@dataclass(frozen=True)
class ReleaseFacts:
    """What a reader needs to judge a release.

    Attributes:
        dataset: the name of the data, in the ledger.
        unit: the column that says whose row it is; None if every row is a unit of its own.
        neighbours: what privacy is promised for: "add_remove" or "replace".
        max_groups: how many groups of one unit counted in each question; None if none was asked
            for which that has an effect.
        max_rows: how many rows of one unit counted in each group, likewise.
        questions: what was asked.
        version: of this library.
        chosen: the bounds that were chosen from the data, and what told them; None if none were.
        publication: who publishes it, and what readers are shown first.
    """

    dataset: str
    unit: str | None
    neighbours: str
    max_groups: int | None
    max_rows: int | None
    questions: tuple[QuestionFacts, ...]
    version: str
    chosen: ChosenFacts | None = None
    publication: Publication = NOTHING_SAID

    @property
    def person(self) -> str:
        """What to call whoever is protected."""
        return person(self.publication.unit_name, self.unit)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What must be known of all answers."""
        if self.unit is None:
            return ()
        words = f"rows without a {self.unit!r} are left out of every answer"
        return (Flag(FlagKind.NO_UNIT, words),)
