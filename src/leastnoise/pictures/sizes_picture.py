"""Records against error: how many are needed for one, and what is reached with so many."""

from collections.abc import Sequence
from fractions import Fraction

from leastnoise.pictures.lines import Row, above_forbidden, log_axis, point
from leastnoise.pictures.names import capital, number, small
from leastnoise.pictures.palette import LINES
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.curves.curve import price_text
from leastnoise.privacy.guarantee import exact_text
from leastnoise.sizes.barriers.impossible import first_possible_records, least_possible_error
from leastnoise.sizes.bounds_table import bound_text
from leastnoise.sizes.least_error import LeastError
from leastnoise.sizes.sample_size import SampleSize

# From a quarter to almost three times of what was asked, so that the bend of every line is seen.
_FACTORS = [Fraction(2) ** n * part for n in range(-2, 2) for part in (Fraction(1), Fraction(7, 5))]
_ERROR = "error of the averages (on the scale of the values)"
_PEOPLE = "people in the data"
_SIZE = {"width": 520, "height": 320}  # in pixels


def sample_size_picture(found: SampleSize) -> Picture:
    """Records against error for every mechanism, with the impossible region shaded."""
    most = found.values.half
    errors = sorted({found.error * factor for factor in _FACTORS if found.error * factor < most})
    rows: list[Row] = [
        {"error": float(error), "records": float(option.records * found.error / error),
         "series": capital(option.mechanism)}
        for option in found.options[: len(LINES)]
        for error in errors
    ]  # fmt: skip
    bounds = [_fewest(found, error) for error in errors]
    floor = min(row["records"] for row in bounds) / 2
    layers = above_forbidden(
        log_axis("error", _ERROR, float(errors[0]), float(errors[-1])),
        log_axis("records", _PEOPLE, floor, _top(rows, "records"), "~s"),
        bounds=bounds,
        lines=rows,
        sign="too few for any mechanism: proved",
    )
    return drawn(
        {**_SIZE, "layer": [*layers, point(float(found.error), found.records)]},
        title=f"{number(found.records)} people suffice for an error of {exact_text(found.error)}",
        subtitle=small(f"{found.task.words(found.values)}, {found.task.promise}"),
        words=(
            f"For {found.task.words(found.values, found.error)}, {found.task.promise}: "
            f"{found.records:,} records suffice, with {found.best.mechanism}; fewer than "
            f"{found.impossible_below:,} are too few for any mechanism."
        ),
    )


def _fewest(found: SampleSize, error: Fraction) -> Row:
    records, _ = first_possible_records(found.task, found.values.on_signs(error))
    return {"error": float(error), "records": float(records)}


def _top(rows: Sequence[Row], name: str) -> float:
    return 1.2 * max(float(row[name]) for row in rows)


def least_error_picture(found: LeastError) -> Picture:
    """Error against records for every mechanism, with the impossible region shaded."""
    people = sorted({max(1, int(found.records * factor)) for factor in _FACTORS} | {found.records})
    rows, bounds = _lines(found, people), [_least(found, count) for count in people]
    floor = min(row["error"] for row in [*bounds, *rows] if row["error"] > 0) / 2
    layers = above_forbidden(
        log_axis("records", _PEOPLE, people[0], max(people[-1], 2), "~s"),
        log_axis("error", _ERROR, floor, _top(rows, "error")),
        bounds=[row for row in bounds if row["error"] > floor],
        lines=rows,
        sign="impossible for any mechanism: proved",
    )
    task = f"{found.task.words(found.values)}, {found.task.promise}"
    reached, least = price_text(found.error), bound_text(found.impossible_below)
    return drawn(
        {**_SIZE, "layer": [*layers, point(found.records, float(found.error.upper))]},
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
        {"records": count, "error": min(most, float(option.error.upper) * found.records / count),
         "series": capital(option.mechanism)}
        for option in options
        for count in people
    ]  # fmt: skip


def _least(found: LeastError, records: int) -> Row:
    bound = least_possible_error(found.task, records) * found.values.half
    return {"records": records, "error": float(bound)}
