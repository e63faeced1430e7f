"""What is written of millions of answers is the same as of few, answer by answer."""

import csv
import io
import json
import math
from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from leastnoise.people import every_grade, grade
from leastnoise.release.ask.keys import Keys
from leastnoise.release.result.csv_text import csv_text
from leastnoise.release.result.flag import Flag, FlagKind, words_by_row
from leastnoise.release.result.json_text import written
from leastnoise.release.result.woven import number_texts

NUMBERS = (0.0, -0.0, 1.0, 20.0, 21.0, -20.0, 1e308, -1e308, 5e-324, math.inf, math.nan)


def test_grades_of_many_are_those_of_each() -> None:
    answers = list(product(NUMBERS, NUMBERS, NUMBERS, (False, True)))
    values, lows, highs, bounds = (np.array(each) for each in zip(*answers, strict=True))
    alone = [grade(value, low, high, bound=bound) for value, low, high, bound in answers]
    assert every_grade(values, lows, highs, bounds) == alone
    assert {"A", "D"} <= set(alone)
    ends = np.array([100, 95, 86, 76, 70, 2**62]), np.zeros(6, bool)
    lower, upper = ends[0] * 0.9, ends[0] * 1.1
    alone = [grade(*each) for each in zip(ends[0].tolist(), lower, upper, strict=True)]
    assert every_grade(ends[0], lower, upper, ends[1]) == alone == ["B"] * 6


def test_flags_of_an_answer_are_in_their_order() -> None:
    flags = [
        Flag(FlagKind.MOSTLY_NOISE, "a", (0, 2, 7)),
        Flag(FlagKind.NO_UNIT, "b"),
        Flag(FlagKind.BOUND, "c", (2, 1)),
    ]
    assert words_by_row(flags, 4, whole=True) == ["a; b", "b; c", "a; b; c", "b"]
    assert words_by_row(flags, 4, whole=False) == ["a", "c", "a; c", ""]
    assert words_by_row([], 2, whole=True) == ["", ""]
    assert words_by_row(flags, 0, whole=True) == []


def test_columns_are_written_as_the_standard_library_writes_rows() -> None:
    columns: dict[str, list[Any]] = {
        'na"me,': ["", " x", 'q"q', "a,b", "l\nm", "c\rd", "=1"],
        "i": [0, -1, 2**70, True, False, 5, 6],
        "f": [0.1, -0.0, math.nan, math.inf, 1e300, 5e-324, 1.0],
        "d": [date(2024, 1, 31), None, "x", 1, 1.0, True, Fraction(1, 3)],
    }
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    assert csv_text(columns) == text.getvalue()
    assert csv_text({"a": [], "b": []}) == "a,b\r\n"


def test_numbers_that_come_again_are_written_alike() -> None:
    few = [*NUMBERS, 0.1 + 0.2, 1e22, 5e-324]
    for values in (few * 50, few, [], [-0.0] * 9 + [0.0] * 9):
        assert number_texts(np.array(values)).listed() == list(map(repr, values))


def test_json_is_given_only_what_it_can_write() -> None:
    for values in ([1, 2.0], [1.5, math.inf], [date(2024, 1, 1), "a"], ["nan"], [True, None], []):
        told = written(values)
        json.dumps(told, allow_nan=False)
        assert [str(each) for each in told] == list(map(str, values))


def test_integer_keys_are_looked_at_together_as_one_by_one() -> None:
    assert Keys.of("k", range(3)).rows == ((0,), (1,), (2,))
    assert Keys.of("k", [2**63 - 1, 1 - 2**63]).rows == ((2**63 - 1,), (1 - 2**63,))
