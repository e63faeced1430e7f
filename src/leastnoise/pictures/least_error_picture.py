"""How accurate so many records can be, and cannot be."""

from fractions import Fraction

from leastnoise.pictures.lines import Row, above_forbidden, log_axis, point
from leastnoise.pictures.names import capital, number, small
from leastnoise.pictures.palette import LINES
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.curves.curve import price_text
from leastnoise.sizes.barriers.impossible import least_possible_error
from leastnoise.sizes.bounds_table import bound_text
from leastnoise.sizes.least_error import LeastError

_FACTORS = [Fraction(2) ** n * part for n in range(-2, 2) for part in (Fraction(1), Fraction(7, 5))]


def least_error_picture(found: LeastError) -> Picture:
    """Error against records for every mechanism, with the impossible region shaded."""
    people = sorted({max(1, int(found.records * factor)) for factor in _FACTORS} | {found.records})
    rows, bounds = _lines(found, people), [_bound(found, count) for count in people]
    floor = min(row["error"] for row in [*bounds, *rows] if row["error"] > 0) / 2
    top = 1.2 * max(row["error"] for row in rows)
    what = "error of the averages (on the scale of the values)"
    layers = above_forbidden(
        log_axis("records", "people in the data", people[0], max(people[-1], 2), "~s"),
        log_axis("error", what, floor, top),
        bounds=[row for row in bounds if row["error"] > floor],
        lines=rows,
        sign="impossible for any mechanism: proved",
    )
    task = f"{found.task.words(found.values)}, {found.task.promise}"
    reached, least = price_text(found.error), bound_text(found.impossible_below)
    dot = point(found.records, float(found.error.upper))
    return drawn(
        {"width": 520, "height": 320, "layer": [*layers, dot]},
        title=f"{number(found.records)} people: an error of {reached} is reached",
        subtitle=small(task),
        words=(
            f"For {task}: with {found.records:,} records {found.best.mechanism} reaches an error "
            f"of {reached}; below {least} no mechanism does."
        ),
    )


def _lines(found: LeastError, people: list[int]) -> list[Row]:
    """Noise on counts does not depend on their number, so the error of means falls with it."""
    most = float(found.values.half)
    options = [option for option in found.options if option.noise is not None][: len(LINES)]
    return [
        {
            "records": count,
            "error": min(most, float(option.error.upper) * found.records / count),
            "series": capital(option.mechanism),
        }
        for option in options
        for count in people
    ]


def _bound(found: LeastError, records: int) -> Row:
    bound = least_possible_error(found.task, records) * found.values.half
    return {"records": records, "error": float(bound)}
