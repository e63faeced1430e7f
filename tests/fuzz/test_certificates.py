"""Certificates from anyone: a verdict or a refusal, soon, and never anything else."""

import json
import string
import time
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.certificates.certificate import Certificate
from leastnoise.errors import CertificateRejected
from tests.cli.run import run
from tests.fuzz.inputs import tried

SECONDS = 60  # of one processor, on a busy machine; the slowest takes 4 to 7

sizes = st.sampled_from([1, 2, 3, 7, 100, 10**4, 2**16, 2**22, 2**31, 2**61, 2**62])
whole = st.one_of(
    st.integers(-3, 30), sizes, st.sampled_from([10**100, 10**1000, int("7" * 3999), -(10**50)])
)
numbers = st.one_of(
    whole.map(str),
    st.tuples(whole, whole).map(lambda pair: f"{pair[0]}/{abs(pair[1])}"),
    st.sampled_from(["1", "1/2", "1/1000", "1/1000000", "1/1" + "0" * 3000, "4096", "0"]),
)
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
weights = st.one_of(
    st.lists(whole.map(str), max_size=12),
    st.integers(1, 400).map(lambda n: [str(n - k) for k in range(n)]),
    st.integers(1, 400).map(lambda n: [str(1 + k * k % 7) for k in range(n)]),
)
rows = st.lists(
    st.fixed_dictionaries(
        {
            "shift": sizes,
            "first": st.sampled_from([0, -1, -10, 5, -(2**16), -(2**22), 2**22, 2**16]),
            "values": st.lists(st.integers(0, 9).map(str), max_size=20),
            "beyond": st.sampled_from(["0", "1", "-1", "9" * 100]),
        }
    ),
    max_size=4,
)
dual = {"level": numbers, "bits": st.sampled_from([0, 1, 64, 2**14, 2**20]), "rows": rows}
parts: dict[str, st.SearchStrategy[Any]] = {
    "cost": st.one_of(
        st.fixed_dictionaries({"kind": st.just("moment"), "order": numbers}),
        st.fixed_dictionaries(
            {
                "kind": st.just("moment"),
                "order": st.sampled_from(["1", "2", "3/2", "64", "127/2", "1000001/1000000"]),
            }
        ),
        st.fixed_dictionaries({"kind": st.just("tail"), "threshold": numbers}),
        st.fixed_dictionaries({"kind": st.just("table"), "values": weights}),
    ),
    "law": st.one_of(
        st.fixed_dictionaries({"kind": st.just("table"), "weights": weights}),
        st.fixed_dictionaries({"kind": st.just("staircase"), "width": sizes}),
        st.fixed_dictionaries({"kind": st.just("cut staircase"), "width": sizes, "radius": sizes}),
        st.just({"kind": "canonical"}),
    ),
    "witness": st.one_of(
        st.fixed_dictionaries({"kind": st.just("dual"), **dual}),
        st.fixed_dictionaries(
            {"kind": st.just("rounded"), "sensitivity": sizes, "step": numbers, **dual}
        ),
        st.sampled_from(["STAIRCASE", "CANONICAL", "NONE"]).map(
            lambda name: {"kind": "theorem", "name": name}
        ),
    ),
}
certificates = st.fixed_dictionaries(
    {
        "format": st.just("leastnoise certificate, version 1"),
        "problem": st.fixed_dictionaries(
            {
                "sensitivity": sizes,
                "epsilon": numbers,
                "delta": numbers,
                "step": st.one_of(st.sampled_from(["1", "1/1024"]), numbers),
                "cost": parts["cost"],
            }
        ),
        "achieved": st.one_of(numbers, st.just("1" + "0" * 60)),
        "bound": st.one_of(numbers, st.just("0")),
        "law": parts["law"],
        "witness": parts["witness"],
        "reference": st.text(string.ascii_letters, max_size=8),
    }
)


def verdict(text: str) -> bool | None:
    """Whether it is accepted; None if it was not even read. In time, and with no other error."""
    start = time.process_time()
    try:
        found = bool(Certificate.from_json(text).check())
    except CertificateRejected:
        return None
    finally:
        assert time.process_time() - start < SECONDS
    return found


@tried(15)
@given(certificates)
def test_certificates_with_strange_numbers(certificate: dict[str, Any]) -> None:
    verdict(json.dumps(certificate))


@tried(10)
@given(certificates, st.data())
def test_certificates_with_parts_of_other_kinds(drawn: dict[str, Any], data: st.DataObject) -> None:
    certificate = deepcopy(drawn)
    inside = data.draw(st.sampled_from(["problem", "law", "witness", None]))
    place = certificate if inside is None else certificate[inside]
    name = data.draw(st.sampled_from(sorted(place)))
    if data.draw(st.booleans()):
        place[name] = data.draw(junk)
    else:
        del place[name]
    verdict(json.dumps(certificate))


HONEST = ln.optimal(sensitivity=2, epsilon=1, delta="1e-3").certificate().to_json()


@tried(12)
@given(st.integers(0, len(HONEST) - 1), st.text(string.printable, max_size=3), st.integers(0, 3))
def test_a_true_certificate_with_a_changed_character(place: int, put: str, cut: int) -> None:
    """Accepted only if what it claims stayed true: then it is no better than before."""
    changed = HONEST[:place] + put + HONEST[place + cut :]
    if verdict(changed):
        before, after = Certificate.from_json(HONEST), Certificate.from_json(changed)
        if after.problem == before.problem:
            assert after.bound <= before.achieved


@tried(2)
@given(st.binary(max_size=300))
def test_any_bytes_on_the_command_line(tmp_path: Any, content: bytes) -> None:
    place = tmp_path / "certificate.json"
    place.write_bytes(content)
    assert run("check", place).status in (1, 2)


def hostile(problem: dict[str, Any], law: dict[str, Any], witness: dict[str, Any]) -> str:
    asked = {"sensitivity": 1, "epsilon": "1", "delta": "0", "step": "1", **problem}
    asked.setdefault("cost", {"kind": "moment", "order": "1"})
    return json.dumps(
        {
            "format": "leastnoise certificate, version 1",
            "problem": asked,
            "achieved": "1" + "0" * 60,
            "bound": "0",
            "law": law,
            "witness": witness,
            "reference": "a stranger",
        }
    )


CANONICAL = {"kind": "theorem", "name": "CANONICAL"}
FRACTIONAL = {"kind": "moment", "order": "3/2"}
ROW = {"shift": 1, "first": 0, "values": ["1"], "beyond": "1"}
BUSY = {
    "a dual that begins far out": hostile(
        {}, {"kind": "staircase", "width": 1},
        {"kind": "dual", "level": "0", "bits": 2**14, "rows": [ROW | {"first": 2**22}]},
    ),
    "many rows that reach far": hostile(
        {"sensitivity": 2**20}, {"kind": "staircase", "width": 1},
        {"kind": "dual", "level": "0", "bits": 0,
         "rows": [ROW | {"shift": s, "first": -(2**16)} for s in range(1, 600)]},
    ),
    "canonical noise with a tiny delta": hostile(
        {"epsilon": "1/10", "delta": "1/1" + "0" * 3000}, {"kind": "canonical"}, CANONICAL
    ),
    "canonical noise on some places": hostile(
        {"epsilon": "0", "delta": "1/100000"}, {"kind": "canonical"}, CANONICAL
    ),
    "a table that jumps": hostile(
        {"sensitivity": 2**20, "delta": "1/10"},
        {"kind": "table", "weights": [str(1 + k % 3) for k in range(8000)]}, CANONICAL,
    ),
    "a staircase without end": hostile(
        {"sensitivity": 10**4, "epsilon": "1/" + "9" * 18, "cost": FRACTIONAL},
        {"kind": "staircase", "width": 5}, {"kind": "theorem", "name": "STAIRCASE"},
    ),
    "a staircase that takes some time": hostile(
        {"sensitivity": 5, "epsilon": "1/100", "cost": FRACTIONAL},
        {"kind": "staircase", "width": 3}, {"kind": "theorem", "name": "STAIRCASE"},
    ),
}  # fmt: skip
BUSIER = {
    "canonical noise on many places": hostile(
        {"epsilon": "0", "delta": "1/1000000"}, {"kind": "canonical"}, CANONICAL
    ),
    "a staircase that takes its time": hostile(
        {"sensitivity": 5, "epsilon": "1/1000", "cost": FRACTIONAL},
        {"kind": "staircase", "width": 3}, {"kind": "theorem", "name": "STAIRCASE"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUSY)
def test_certificates_that_would_keep_the_checker_busy(name: str) -> None:
    verdict(BUSY[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", BUSIER)
def test_certificates_that_keep_the_checker_busy_for_seconds(name: str) -> None:
    verdict(BUSIER[name])
