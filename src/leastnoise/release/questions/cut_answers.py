"""Answers whose intervals hold what the bounds left out, as noisy hats tell it."""

from fractions import Fraction

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import Bounds
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.draw.drawn import Found
from leastnoise.release.questions.bounded_question import plain as plain_question
from leastnoise.release.questions.bounded_question import table_of
from leastnoise.release.questions.count import Count
from leastnoise.release.questions.lost_rows import is_served, lost_rows
from leastnoise.release.questions.mean import Mean
from leastnoise.release.questions.mean_of_all import MeanOfAll
from leastnoise.release.questions.noise_together import NoiseTogether
from leastnoise.release.questions.question import Preparing, Question
from leastnoise.release.questions.share import Share
from leastnoise.release.questions.sum import Sum
from leastnoise.release.result.cut import Cut, Range
from leastnoise.release.result.released_table import Floats, Numbers, ReleasedTable
from leastnoise.release.spread.lost import Lost
from leastnoise.release.spread.main_interval import (
    kept_share,
    mean_stretched,
    stretched,
    total_interval,
)
from leastnoise.release.spread.noise_sum import NoiseSum
from leastnoise.release.step.grant import Allotment
from leastnoise.release.step.reach import bounds_of
from leastnoise.release.step.unit_spread import UnitSpread

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class CutAnswer:
    """One question, what its steps showed, and what the bounds left out.

    Attributes:
        question: what is asked; one that is served.
        given: what it was granted.
        found: what its steps showed.
        lost: what was left out.
        spread: what was measured for that.
    """

    question: Question
    given: Allotment
    found: Found
    lost: Lost
    spread: UnitSpread

    def answer(self, confidence: Fraction) -> ReleasedTable:
        """The answers; without a cap half of the risk is for units that lost more."""
        plain = self.question.answer(self.given, self.found, confidence)
        risk = 1 - confidence if self.lost.declared else (1 - confidence) / 2
        told = self._stretched(plain, risk)
        cut = self._cut(plain, told, float(risk), float(1 - confidence - risk))
        return changed(told, cut=cut)

    def _stretched(self, plain: ReleasedTable, risk: Fraction) -> ReleasedTable:
        inner = self._inner
        if isinstance(inner, Mean | MeanOfAll):
            return self._mean(inner, risk)
        if isinstance(inner, Count) and not inner.groups.by:
            return self._total(plain, risk)
        own = self.question.answer(self.given, self.found, 1 - risk * _HALF)
        span = (float(inner.grid.lower), float(inner.grid.upper)) if isinstance(inner, Sum) else _UP
        lost = self.lost.upper(float(risk * _HALF))
        lower, upper = stretched(own.lower, own.upper, lost, span)
        return changed(plain, lower=lower, upper=upper)

    @property
    def _inner(self) -> Question:
        return plain_question(self.question)

    @property
    def _weight(self) -> int:
        """What a row weighs in the engine's integers."""
        return table_of(self.question, self.given.table).clip_weight

    def _total(self, plain: ReleasedTable, risk: Fraction) -> ReleasedTable:
        noise = NoiseSum.of([Fraction(1, self._weight)], [self.given[0].law])
        found = total_interval(float(plain.values[0]), noise, self.lost, float(risk))
        whole = plain.values.dtype == np.int64
        values: Numbers = np.array([found.value])
        added = found.value != float(plain.values[0])
        return changed(
            plain,
            notes=(*plain.notes, *(_ADDED,) * added),
            values=np.rint(values).astype(np.int64) if whole else values,
            standard_error=np.array([found.deviation]),
            lower=np.array([found.lower]),
            upper=np.array([found.upper]),
        )

    def _mean(self, inner: Mean | MeanOfAll, risk: Fraction) -> ReleasedTable:
        """Half of the risk is for the noise; rows kept and rows lost have a quarter each."""
        own = self.question.answer(self.given, self.found, 1 - risk * _HALF)
        low, range_ = float(inner.grid.lower), float(inner.grid.upper - inner.grid.lower)
        places = (own.lower - low) / range_, (own.upper - low) / range_
        kept, margin = self._rows(inner, float(risk / 4))
        steps = inner.grid.most - inner.grid.least
        slack = 1 / steps if isinstance(inner, MeanOfAll) else 0.0
        lost = self.lost.upper(float(risk / 4))
        ends = mean_stretched(places, kept - margin, lost, slack)
        lower, upper = (low + range_ * np.clip(each, 0.0, 1.0) for each in ends)
        return changed(own, lower=lower, upper=upper)

    def _rows(self, inner: Question, risk: float) -> tuple[Floats, float]:
        """How many rows were kept in each group, noisy, and how far off that may be."""
        if isinstance(inner, MeanOfAll):
            count, law = self.found[1].values[0], self.given[1].law
            return count.astype(np.float64), float(law.quantile(1 - Fraction(risk)))
        assert isinstance(inner, Mean), "asked of means"
        below, above = (each.astype(np.float64) for each in self.found[0].values)
        noise = NoiseTogether.of((self.given[0], self.given[0]), (1.0, 1.0))
        row = (inner.grid.most - inner.grid.least) * self._weight
        return (below + above) / row, noise.quantile((1.0, 1.0), risk) / row

    def _cut(self, plain: ReleasedTable, told: ReleasedTable, risk: float, beyond: float) -> Cut:
        cut = self.given.table.cut
        assert cut is not None, "it was measured"
        lost = self.lost.lower(risk / 2), self.lost.upper(risk / 2)
        noise = (plain.upper - plain.lower) / 2
        total = isinstance(self._inner, Count) and not self._inner.groups.by
        return Cut(
            what="groups" if self.spread.counts_groups else "rows",
            lost=lost,
            kept=self._kept_share(plain, risk),
            whole=whole_units(self.lost, risk),
            noise=noise,  # type: ignore[arg-type]  # read as a tuple
            surely_more=total and lost[0] > float(noise[0]),
            cap=cut.most_rows,
            most=self.lost.most,
            beyond=int(self.lost.beyond(beyond)) if beyond else None,
            advice=self._advice(plain, told),
        )

    def _kept_share(self, plain: ReleasedTable, risk: float) -> Range | None:
        """Of all rows of the groups, where these and the most that is lost are known."""
        inner = self._inner
        if not isinstance(inner, Count | Share | MeanOfAll):
            return None  # rows without a value are not told apart
        if inner.groups.are_private or not self.lost.declared or not len(plain):
            return None
        own, count = risk / 2, len(plain)
        if isinstance(inner, Mean | MeanOfAll):
            rows, margin = self._rows(inner, own / count)
        else:
            step = 1 / self._weight
            rows = np.asarray(plain.values, np.float64)
            margin = step * float(self.given[0].law.quantile(1 - Fraction(own / count)))
        kept = float(rows.sum()) - count * margin, float(rows.sum()) + count * margin
        return kept_share(kept, (self.lost.lower(own / 2), self.lost.upper(own / 2)))

    def _advice(self, plain: ReleasedTable, told: ReleasedTable) -> str:
        """A bound at the cap, where its noise is less than what is not known now."""
        cut, bounds = (
            self.given.table.cut,
            bounds_of(self.spread.measurement, self.given.table.table),
        )
        cap = None if cut is None else cut.most_rows
        if (
            cap is None
            or not isinstance(bounds, Bounds)
            or len(plain) != 1
            or self._inner.groups.by
        ):
            return ""
        wide = (plain.upper[0] - plain.lower[0]) / 2 * cap / bounds.max_rows
        if wide >= (told.upper[0] - told.lower[0]) / 2:
            return ""
        return f"max_rows={cap}, the cap, would leave out nothing and give ±{wide:,.0f}"


_UP = (0.0, 1.0)
_ADDED = "what the bounds left out is added to the answer, as it was measured"


def whole_units(lost: Lost, risk: float) -> Range:
    """The share of units on the first knot: they lost nothing."""
    hats, own = lost.hats, risk / 4
    none, some = (lambda x: int(x == 0)), (lambda x: int(x > 0))
    kept = hats.total(none), hats.noise_of(none).above(own)
    cut = hats.total(some), hats.noise_of(some).above(own)
    least, most = (max(cut[0] + sign * cut[1], 0.0) for sign in (-1, 1))
    return kept_share((kept[0] - kept[1], kept[0] + kept[1]), (least, most))


def make_cut_ready(question: Question, given: Allotment, confidence: Fraction) -> None:
    """What intervals of means need to know of their noise alone, found before the charge."""
    asked = lost_rows(question, given.table) if isinstance(question, Preparing) else None
    if isinstance(question, Preparing) and asked is not None and is_served(question):
        risk = 1 - confidence if asked.declared else (1 - confidence) / 2
        question.make_ready(given, 1 - risk * _HALF)
