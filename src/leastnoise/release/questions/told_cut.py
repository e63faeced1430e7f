"""What the bounds left out, told beside answers whose intervals do not hold it."""

from fractions import Fraction

from leastnoise.release.draw.drawn import CONFIDENCE, Found
from leastnoise.release.questions.bounded_question import plain
from leastnoise.release.questions.cut_answers import whole_units
from leastnoise.release.questions.lost_rows import LostRows
from leastnoise.release.questions.question import Question
from leastnoise.release.questions.regression import Regression
from leastnoise.release.result.cut import Cut, Range
from leastnoise.release.spread.hats import Hats
from leastnoise.release.spread.lost import Lost
from leastnoise.release.spread.main_interval import kept_share
from leastnoise.release.step.grant import Allotment


def told_cut(
    question: Question, given: Allotment, found: Found, asked: LostRows, hats: Hats
) -> Cut:
    """What was left out, told beside answers that are about what was kept.

    Of medians, variances and the like one row more may change much, and no useful limit is proved:
    their intervals stay those of the noise.

    Args:
        question: what is asked.
        given: what it was granted.
        found: what its steps showed.
        asked: what is measured of what was left out.
        hats: what that measurement showed.
    """
    lost, cut, risk = asked.of(hats), given.table.cut, float(1 - CONFIDENCE)
    assert cut is not None, "it was measured"
    return Cut(
        what="groups" if asked.spread.counts_groups else "rows",
        lost=(lost.lower(risk / 2), lost.upper(risk / 2)),
        kept=_kept(question, given, found, lost, risk),
        whole=whole_units(lost, risk),
        noise=(),
        surely_more=False,
        cap=cut.most_rows,
        most=lost.most,
        beyond=None if lost.declared else int(lost.beyond(risk)),
        held=False,
    )


def _kept(
    question: Question, given: Allotment, found: Found, lost: Lost, risk: float
) -> Range | None:
    """The share of rows, where the rows of public groups are counted, and their cap is known.

    Others count rows that have a value, and what is lost of all rows.
    """
    counted = isinstance(plain(question), Regression)
    if not counted or question.groups.are_private or not lost.declared:
        return None
    rows = found[0].values[0]
    margin = len(rows) * float(given[0].law.quantile(1 - Fraction(risk / 2 / max(len(rows), 1))))
    kept = float(rows.sum()) - margin, float(rows.sum()) + margin
    return kept_share(kept, (lost.lower(risk / 4), lost.upper(risk / 4)))
