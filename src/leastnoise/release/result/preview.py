"""`Preview`: the forecasts of a whole plan, as a table and sentences."""

from collections.abc import Iterable
from fractions import Fraction

from leastnoise import _show
from leastnoise._dataclass import dataclass
from leastnoise._display import wrapped
from leastnoise.people import many, said_error, said_share
from leastnoise.release.result.forecast import LEAST, Forecast, shown_ratio
from leastnoise.release.result.shown_row import text_table

HEAD = ("question", "answers", "noise, 95 %", "budget", LEAST)


@dataclass(frozen=True)
class KeysForecast:
    """What it takes to find private groups, and which of them will be found.

    Attributes:
        name: which groups.
        questions: the questions about them.
        share: the part of the budget that goes here, beside the shares of the questions; 0 if the
            counts that are asked for find the groups too.
        shown_half: a group is shown with 50 % probability if it has this many units.
        shown_from: the same with 95 %.
    """

    name: str
    questions: tuple[str, ...]
    share: Fraction
    shown_half: int
    shown_from: int

    @property
    def note(self) -> str:
        """From which size on groups are shown, as a sentence."""
        counts = "" if self.share else "; the counts that are asked for find them"
        return (
            f"{self.name}: a group is shown with a chance of 50 % from {self.shown_half:,} units "
            f"on, of 95 % from {self.shown_from:,}{counts}."
        )


@dataclass(frozen=True)
class CutForecast:
    """What it takes to measure what the bounds leave out, and how well it will be known.

    Attributes:
        name: of what.
        share: the part of the budget that goes here, beside the shares of the questions.
        interval: half the width of the 95 % interval of what is left out, if a cap is declared.
        units: the same, of the number of units of which something is left out.
        advice: what would make it better.
    """

    name: str
    share: Fraction
    interval: float | None
    units: float
    advice: str = ""

    @property
    def told(self) -> str:
        """What will be known, in words without a name and without a full stop."""
        many = "" if self.interval is None else f"how many, within {said_error(self.interval)}; "
        units = f"how many units lose some, within {said_error(self.units)}"
        return f"the release will say {many}{units}.{self.advice}".removesuffix(".")

    @property
    def note(self) -> str:
        """What will be known, as a sentence."""
        return f"{self.name}: {self.told}."


class Preview(tuple[Forecast, ...]):
    """The forecasts of a plan, in the order of its questions; prints as a table."""

    keys: tuple[KeysForecast, ...]
    cuts: tuple[CutForecast, ...]
    about: tuple[str, ...]

    def __new__(
        cls,
        told: Iterable[Forecast],
        keys: Iterable[KeysForecast] = (),
        cuts: Iterable[CutForecast] = (),
        about: Iterable[str] = (),
    ) -> "Preview":
        """The forecasts, and those about finding private groups and about what is left out.

        `about` is what is declared of the columns, in words.
        """
        made = super().__new__(cls, told)
        made.keys, made.cuts, made.about = tuple(keys), tuple(cuts), tuple(about)
        return made

    def telling(self, about: Iterable[str]) -> "Preview":
        """The same, with sentences about the columns."""
        return Preview(self, self.keys, self.cuts, about)

    _repr_html_ = _show.html

    def __repr__(self) -> str:
        return f"<Preview: {many(len(self), 'question')}>"

    def __str__(self) -> str:
        return "\n".join([text_table([HEAD, *self.lines]), *map(wrapped, self.sentences)])

    @property
    def lines(self) -> list[list[str]]:
        """A line of cells for each question, search for private groups, and measured cut."""
        return [*map(_told, self), *map(_told_keys, self.keys), *map(_told_cut, self.cuts)]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What stands below the table."""
        notes = [note for one in self for note in one.notes]
        advice = _together([(hint, one.question) for one in self for hint in one.advice])
        keys = [each.note for each in self.keys]
        cuts = _together([(each.told, each.name) for each in self.cuts])
        return (*self.about, *self.about_least, *notes, *keys, *cuts, *advice)

    @property
    def about_least(self) -> tuple[str, ...]:
        """What the column of that name says; nothing if nothing is proved."""
        among = {one.among for one in self if one.times_least is not None}
        without = [one.question for one in self if one.times_least is None]
        outside = f" Nothing is proved of: {', '.join(without)}." if without else ""
        how = "and keep the same promise"
        return tuple(
            f"{LEAST}: all of this noise, beside {each}, {how}.{outside}" for each in among
        )


def _together(hints: Iterable[tuple[str, str]]) -> list[str]:
    """Each piece of advice once, with all questions that it is about."""
    about: dict[str, list[str]] = {}
    for hint, question in hints:
        about.setdefault(hint, []).append(question)
    return [f"{', '.join(names)}: {hint}." for hint, names in about.items()]


def _told(one: Forecast) -> list[str]:
    return [
        one.question,
        "those found" if one.answers is None else str(one.answers),
        one.interval_words,
        _part(one.share),
        shown_ratio(one.times_least),
    ]


def _told_keys(found: KeysForecast) -> list[str]:
    return [found.name, "those found", "", _part(found.share), ""]


def _told_cut(cut: CutForecast) -> list[str]:
    return [cut.name, "", "", _part(cut.share), ""]


def _part(share: Fraction) -> str:
    return said_share(share)
