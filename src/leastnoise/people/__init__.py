"""Numbers, errors, grades and laws as people read them: see `numbers`."""

from leastnoise.people.digits import MINUS, UNKNOWN, said_count, said_number
from leastnoise.people.grades import GRADES, every_grade, grade, grade_places
from leastnoise.people.laws import said_law
from leastnoise.people.numbers import (
    equation,
    last_place,
    many,
    said_answer,
    said_duration,
    said_error,
    said_hash,
    said_interval,
    said_minute,
    said_share,
    said_share_range,
    said_value,
)

__all__ = [
    "GRADES",
    "MINUS",
    "UNKNOWN",
    "equation",
    "every_grade",
    "grade",
    "grade_places",
    "last_place",
    "many",
    "said_answer",
    "said_count",
    "said_duration",
    "said_error",
    "said_hash",
    "said_interval",
    "said_law",
    "said_minute",
    "said_number",
    "said_share",
    "said_share_range",
    "said_value",
]
