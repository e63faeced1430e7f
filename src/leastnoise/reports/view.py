"""`QuestionView`: one question of a release as a reader meets it; numbers as texts, and grades."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leastnoise._dataclass import dataclass
from leastnoise.people import GRADES, said_share
from leastnoise.people.persons import called
from leastnoise.pictures.names import capital
from leastnoise.pictures.table_words import COUNTS, head_of, is_histogram, kind_of_table
from leastnoise.release.ask.publication import NOTHING_SAID
from leastnoise.release.result.cut import Cut
from leastnoise.release.result.flag import FlagKind, words_by_row
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_facts import QuestionFacts
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.shown_row import shown_key
from leastnoise.reports.digits import interval_texts, value_texts

Floats = NDArray[np.float64]

_NOT_HELD = ("not all of it in the interval", "none of it in the interval")
_NOT_MEASURED = "what the bounds left out is not measured"


@dataclass(frozen=True)
class ShownAnswer:
    """One row as it is read."""

    key: tuple[str, ...]
    value: str
    interval: str
    grade: str
    flags: str


class QuestionView:
    """A table, what is known of its question, and both in words."""

    def __init__(self, table: ReleasedTable, number: int, release: PlanRelease | None) -> None:
        """A table by itself has no facts but its own."""
        asked = () if release is None else release.facts.questions
        self._words = NOTHING_SAID if release is None else release.facts.publication
        told = {each.forecast.question: each for each in asked}
        self.table, self.number = table, number
        self.facts: QuestionFacts | None = told.get(table.name)
        self._texts = {} if release is None else dict(release.facts.publication.texts)
        known = release is not None and release.facts.unit is not None
        self.unit = release.facts.person if release is not None and known else ""

    @property
    def id(self) -> str:
        """To which links lead."""
        return f"question-{self.number}"

    @property
    def title(self) -> str:
        """The heading."""
        return capital(self.table.name)

    @property
    def kind(self) -> str:
        """Which kind of question."""
        return kind_of_table(self.table)

    @property
    def text(self) -> str:
        """What the question is, in a sentence."""
        own = self._texts.get(self.table.name)
        if own:
            return own
        words = "" if self.facts is None else self.facts.words
        return called(words, self.unit)

    @property
    def measure(self) -> str:
        """What its answers are measured in."""
        return self.table.measure

    @property
    def whole(self) -> bool:
        """Whether something is counted."""
        return self.kind in COUNTS or self.table.values.dtype == np.int64

    @property
    def head(self) -> str:
        """What stands above the answers, with its unit."""
        return head_of(self.table, self.unit)

    @cached_property
    def half(self) -> Floats:
        """Half the width of each interval for the noise alone."""
        cut = self.table.cut
        if cut is not None and cut.held and len(cut.noise_halves) == len(self.table):
            return cut.noise_halves
        with np.errstate(invalid="ignore"):
            return (self.table.upper - self.table.lower) / 2

    @property
    def cut(self) -> Cut | None:
        """What the bounds left out, if that was measured and there was any."""
        return self.table.cut

    @property
    def is_unmeasured(self) -> bool:
        """Whether the bounds may have left out something that nobody measured."""
        return any(note.startswith(_NOT_MEASURED) for note in self.table.notes)

    @property
    def is_cut_more_than_noise(self) -> bool:
        """Whether what the bounds cut may matter more than the noise."""
        kinds = {FlagKind.CUT, FlagKind.CUT_NOT_KNOWN}
        return any(flag.kind in kinds for flag in self.table.flags)

    @property
    def surely_cut_more(self) -> bool:
        """Whether what the bounds cut matters more than the noise, beyond doubt."""
        return self.cut is not None and self.cut.surely_more

    @cached_property
    def grades(self) -> list[str]:
        """How reliable each answer is; an empty text for dates, which have no size."""
        table = self.table
        if table.dated:
            return [""] * len(table)
        value = np.abs(table.values.astype(np.float64))
        with np.errstate(invalid="ignore"):
            half = (table.upper - table.lower) / 2
            known = np.isfinite(half) & np.isfinite(value)
            near = known & (half > 0) & (table.lower <= 0) & (table.upper >= 0)
            parts = [half <= value / 20, half <= value * 3 / 20, half <= value / 4]
        letters = np.select(parts, ["A", "B", "C"], "D")
        letters[~known | near | self._bounds] = "D"
        return [str(letter) for letter in letters]

    @property
    def _bounds(self) -> NDArray[np.bool_]:
        """Which answers are bounds only, or intervals that do not hold all."""
        found = np.zeros(len(self.table), dtype=np.bool_)
        for flag in self.table.flags:
            if flag.kind is FlagKind.WHOLE_RANGE or flag.words.endswith(_NOT_HELD):
                found[flag.places] = True
        return found

    @cached_property
    def grade_counts(self) -> dict[str, int]:
        """How many answers have each grade, from A to D; grades that none has are left out."""
        counted = Counter(self.grades)
        return {grade: counted[grade] for grade in GRADES if counted[grade]}

    def rows(self, most: int) -> list[ShownAnswer]:
        """The first answers as they are read."""
        table, count = self.table, min(most, len(self.table))
        if table.dated:
            told = table.shown(count)
            values, intervals = [row.value for row in told], [row.interval for row in told]
        else:
            values, intervals = self.value_texts[:count], self.interval_texts[:count]
        flags = words_by_row(table.flags, count, whole=False)
        return [
            ShownAnswer(*parts)
            for parts in zip(
                self.key_texts[:count], values, intervals, self.grades[:count], flags, strict=True
            )
        ]

    @cached_property
    def key_texts(self) -> list[tuple[str, ...]]:
        """The parts of each key."""
        found = [tuple(map(shown_key, key)) for key in self.table.rows]
        if self.is_histogram:
            return [(*key[:-2], f"{key[-2]} – {key[-1]}") for key in found]
        if self.table.columns[-1:] == ("quantile",):
            return [(*key[:-1], said_share(float(key[-1]))) for key in found]
        return found

    @cached_property
    def value_texts(self) -> list[str]:
        """Each answer, rounded to its error."""
        if self.is_share:
            return [_percent(value) for value in self.table.values.tolist()]
        return value_texts(self.table.values.tolist(), self.half.tolist(), whole=self.whole)

    @cached_property
    def interval_texts(self) -> list[str]:
        """Each interval, rounded outward."""
        ends = self.table.lower.tolist(), self.table.upper.tolist()
        if self.is_share:
            return [
                f"{_percent(low, -1)} – {_percent(high, 1)}"
                for low, high in zip(*ends, strict=True)
            ]
        return interval_texts(*ends, self.half.tolist(), whole=self.whole)

    @property
    def is_share(self) -> bool:
        """Whether answers are parts of a whole."""
        return self.kind in {"Cumulative", "Share", "UnitShare"} or self.table.is_band

    @property
    def is_histogram(self) -> bool:
        """Whether the last two parts of keys are the ends of a range."""
        return is_histogram(self.table)

    @property
    def key_heads(self) -> list[str]:
        """The names of the key columns; both ends of a range are one."""
        if self.is_histogram:
            *others, begin, _ = self.table.columns
            return [*map(self._column, others), self._column(begin.removesuffix("_from"))]
        return [self._column(name) for name in self.table.columns]

    def _column(self, name: str) -> str:
        """What readers call a column: as the plan says, else by its name."""
        return self._words.label(name) or _column(name)

    def labels(self) -> list[str]:
        """A label for each answer."""
        return [" · ".join(key) or "all" for key in self.key_texts]


def counted_grades(shown: Sequence[QuestionView]) -> dict[str, int]:
    """How many numbers of all tables have each grade."""
    counted = Counter[str]()
    for view in shown:
        counted.update(view.grade_counts)
    return {grade: counted[grade] for grade in GRADES if counted[grade]}


def _column(name: str) -> str:
    if name.endswith("_below"):
        return f"{capital(name.removesuffix('_below'))} below"
    return capital(name.replace("_", " "))


def _percent(value: float, outward: int = 0) -> str:
    if not np.isfinite(value):
        return "not known"
    scaled = 1000 * value
    whole = np.rint(scaled) if not outward else np.floor(scaled) if outward < 0 else np.ceil(scaled)
    return f"{whole / 10 or 0.0:.1f} %".replace("-", "−")


def cut_words(views: Iterable[QuestionView]) -> str:
    """What the limits did to tables in which that may matter more than the noise."""
    surely = all(view.surely_cut_more for view in views)
    return f"the limits {'cut' if surely else 'may have cut'} more than the noise adds"
