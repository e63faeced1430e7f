"""Certificates as text: exact when read back, harmless when hostile."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.certificates.certificate import Certificate
from leastnoise.errors import CertificateRejected, UnsupportedQuery
from leastnoise.least_noise.optimal import optimal_scalar
from leastnoise.numeric.cost import OwnCost
from tests.examples import examples

TEXT = optimal_scalar(sensitivity=2, epsilon=1, delta="0.05").certificate().to_json()


def test_own_costs_travel_as_tables() -> None:
    capped = OwnCost(lambda error: error if error < 4 else 4, growth=1, label="capped")
    made = optimal_scalar(sensitivity=2, epsilon=1, delta="0.05", cost=capped).certificate()
    read = Certificate.from_json(made.to_json())
    assert read.check(), str(read.check())
    assert read.achieved == made.achieved
    endless = optimal_scalar(sensitivity=2, epsilon=1, cost=capped).certificate()
    assert endless.check()
    with pytest.raises(UnsupportedQuery, match="function of your own"):
        endless.to_json()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "3",
        "[" * 100_000,
        '{"format": "leastnoise certificate, version 2"}',
        "NaN",
        TEXT[:-3],
    ],
)
def test_other_texts_are_rejected(text: str) -> None:
    with pytest.raises(CertificateRejected, match="must be"):
        Certificate.from_json(text)


HOSTILE: list[tuple[tuple[str | int, ...], Any]] = [
    (("problem", "sensitivity"), "2"),
    (("problem", "sensitivity"), True),
    (("problem", "sensitivity"), 0),
    (("problem", "epsilon"), 1),
    (("problem", "epsilon"), "1e5"),
    (("problem", "epsilon"), "1/0"),
    (("problem", "epsilon"), "9" * 5000),
    (("problem", "cost"), {"kind": "moment", "order": "1/2"}),
    (("problem", "cost"), {"kind": "table", "values": ["2", "1"]}),
    (("problem", "cost"), {"kind": "table", "values": []}),
    (("problem", "cost"), {"kind": "python"}),
    (("law",), {"kind": "table", "weights": ["1/2"]}),
    (("law",), {"kind": "table", "weights": "11"}),
    (("law",), {"kind": "unheard of"}),
    (("law",), None),
    (("witness", "bits"), 10**9),
    (("witness", "rows"), [{"shift": 1}]),
    (("witness", "rows", 0, "first"), 10**12),
    (("witness", "rows", 0, "values"), ["0.5"]),
    (("witness",), {"kind": "theorem", "name": "FERMAT"}),
    (("achieved",), "inf"),
    (("bound",), None),
]


@pytest.mark.parametrize(("path", "value"), HOSTILE)
def test_hostile_fields_are_rejected(path: tuple[str | int, ...], value: Any) -> None:
    data = json.loads(TEXT)
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(CertificateRejected):
        Certificate.from_json(json.dumps(data))


@examples(80, 400)
@given(st.data())
def test_a_changed_digit_is_never_accepted_for_a_better_claim(data: st.DataObject) -> None:
    """Any one digit of the text may change: either it cannot be read, or it is refused or true."""
    place = data.draw(st.integers(0, len(TEXT) - 1).filter(lambda i: TEXT[i].isdigit()))
    digit = data.draw(st.sampled_from("0123456789"))
    changed = TEXT[:place] + digit + TEXT[place + 1 :]
    try:
        read = Certificate.from_json(changed)
    except CertificateRejected:
        return
    if read.check():
        true = Certificate.from_json(TEXT)
        same = read.problem == true.problem
        assert not same or (read.bound <= true.achieved and read.achieved >= true.bound)
