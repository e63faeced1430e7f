"""Hostile texts end in an answer or in a refusal with a place: no traceback, and no hang."""

import re
from contextlib import suppress
from itertools import islice

import pytest

from leastnoise import ApproxDP
from leastnoise.errors import InvalidParameter, LeastNoiseError
from tests.release.sql.clinic import clinic
from tests.release.sql.hostile_texts import GOOD, hostile_texts
from tests.time_limit import time_limit

CLINIC = clinic()
ALL = 2000
QUICK = 400
_PLACED = re.compile(r"line \d+, column \d+: ")


def outcome(text: str) -> str:
    """Whether it is a plan, or refused with a place; everything else is a failure."""
    with time_limit(10):  # of processor time: people wait two seconds, tests run beside others
        try:
            plan = CLINIC.sql(text)
        except InvalidParameter as refusal:
            told = str(refusal)
        else:
            assert plan.plan.questions
            return "answered"
    assert _PLACED.match(told), (text[:200], told)
    assert "\x1b" not in told
    return "refused"


def test_good_ones_are_answered() -> None:
    assert {outcome(text) for text in GOOD} == {"answered"}


def test_quickly() -> None:
    found = [outcome(text) for text in islice(hostile_texts(ALL), QUICK)]
    assert found.count("refused") > QUICK // 2
    assert found.count("answered") > 10


@pytest.mark.slow
def test_all() -> None:
    found = [outcome(text) for text in hostile_texts(ALL)]
    assert len(found) == ALL
    assert found.count("refused") > ALL // 2


def test_previews_of_what_is_answered_fail_in_words_alone() -> None:
    """What a text asks for may have no price; then that is said."""
    budget = ApproxDP(epsilon=1, delta="1e-8")
    for text in islice(hostile_texts(ALL), 60):
        with suppress(LeastNoiseError):
            CLINIC.sql(text).preview(budget)
