"""How many records an error needs, and how many are too few."""

from fractions import Fraction

from leastnoise.pictures.lines import Row, above_forbidden, log_axis, point
from leastnoise.pictures.names import capital, number, small
from leastnoise.pictures.palette import LINES
from leastnoise.pictures.picture import Picture, drawn
from leastnoise.privacy.guarantee import exact_text
from leastnoise.sizes.barriers.impossible import first_possible_records
from leastnoise.sizes.sample_size import SampleSize

_FACTORS = [Fraction(2) ** n * part for n in range(-2, 2) for part in (Fraction(1), Fraction(7, 5))]


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
    bounds = [_bound(found, error) for error in errors]
    floor = min(row["records"] for row in bounds) / 2
    top = 1.2 * max(row["records"] for row in rows)
    what = "error of the averages (on the scale of the values)"
    layers = above_forbidden(
        log_axis("error", what, float(errors[0]), float(errors[-1])),
        log_axis("records", "people in the data", floor, top, "~s"),
        bounds=bounds,
        lines=rows,
        sign="too few for any mechanism: proved",
    )
    return drawn(
        {"width": 520, "height": 320, "layer": [*layers, point(float(found.error), found.records)]},
        title=f"{number(found.records)} people suffice for an error of {exact_text(found.error)}",
        subtitle=small(f"{found.task.words(found.values)}, {found.task.promise}"),
        words=(
            f"For {found.task.words(found.values, found.error)}, {found.task.promise}: "
            f"{found.records:,} records suffice, with {found.best.mechanism}; fewer than "
            f"{found.impossible_below:,} are too few for any mechanism."
        ),
    )


def _bound(found: SampleSize, error: Fraction) -> Row:
    records, _ = first_possible_records(found.task, found.values.on_signs(error))
    return {"error": float(error), "records": float(records)}
