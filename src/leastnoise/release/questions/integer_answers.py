"""What questions have in common whose answers are integers with noise."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from leastnoise.release.draw.drawn import Drawn
from leastnoise.release.draw.noisy_numbers import moved, scaled
from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.released_table import Cell, Numbers, ReleasedTable
from leastnoise.release.step.asked import Asked
from leastnoise.release.step.grant import Grant
from leastnoise.release.step.groups import Groups
from leastnoise.release.step.secret_totals import Totals
from leastnoise.release.step.step import Step


def lattice_forecast(
    name: str, groups: Groups, given: Grant, step: Fraction, confidence: Fraction
) -> Forecast:
    """The error of a number that gets noise, in units of the answer."""
    return Forecast(
        question=name,
        answers=groups.count,
        mechanism=given.words,
        expected_error=float(given.law.moment(1)) * float(step),
        interval=given.law.quantile(confidence) * step,
        share=given.share,
        ratio=ratio(given),
    )


def noisy_step(asked: Asked, given: Grant, among: Step | None) -> Step:
    """One draw of noise for every cell."""
    return Step(asked, given.mechanism, given.price, among)


def ratio(given: Grant) -> Fraction | None:
    """How near to the least noise there is, if a proof is at hand."""
    proof = given.certificate()
    return proof.ratio if proof is not None and isinstance(proof.ratio, Fraction) else None


def spread(given: Grant) -> float:
    """The standard deviation of one cell's noise."""
    return math.sqrt(float(given.law.moment(2)))


def lattice_table(  # noqa: PLR0913, PLR0917 - each is part of the answer
    name: str,
    columns: tuple[str, ...],
    drawn: Drawn,
    given: Grant,
    step: Fraction,
    confidence: Fraction,
    *,
    rows: Sequence[tuple[Cell, ...]] | None = None,
) -> ReleasedTable:
    """The noisy numbers, each with its interval; `rows` if they are not the groups' keys."""
    found: Totals = drawn.values[0]
    margin = given.law.quantile(confidence)
    return ReleasedTable(
        name=name,
        columns=columns,
        rows=drawn.rows if rows is None else rows,
        values=_values(found, step),
        standard_error=np.full(len(found), spread(given) * float(step)),
        lower=scaled(moved(found, -margin), step),
        upper=scaled(moved(found, margin), step),
        mechanism=given.words,
        ratio=ratio(given),
        certificate=given.certificate(),
    )


def _values(found: Totals, step: Fraction) -> Numbers:
    """Whole numbers stay whole numbers."""
    if step == 1 and found.dtype == np.int64:
        return found.astype(np.int64)
    return scaled(found, step)
