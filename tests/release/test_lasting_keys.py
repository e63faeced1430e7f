"""What is known again by its keys for years stays as it was: digests of plans and schedules."""

import hashlib
from collections.abc import Callable
from datetime import date
from typing import Any

import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.release.ask.keys import Keys
from leastnoise.release.over_time.fingerprint import fingerprint
from leastnoise.release.plan import Plan

TABLE = pa.table(
    {
        "person": [1, 2, 3],
        "city": ["Oslo", "Bergen", "Bodø"],
        "age": [41, 70, 12],
        "smoker": [True, False, True],
        "day": [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 2)],
    }
)


def _asked() -> Plan:
    return ln.plan(ln.read(TABLE, unit="person", dataset="visits"), max_groups=2, max_rows=3)


def _of_texts() -> Plan:
    odd = ["Oslo", "", " ", "it's", 'a "b"', "c, d", "e\nf", "\t", "\x07", "ø", "😀", "=1+1", "é"]
    return _asked().count(by="city", keys=odd, name="n")


def _of_whole_numbers() -> Plan:
    wide = [0, -1, 7, 2**53 + 1, 2**63 - 1, -(2**63) + 1]
    asked = _asked().mean("age", lower=0, upper=110, by="age", keys=wide, name="m")
    return asked.count(by="age", keys=range(1000), name="many").count(by="age", keys=[5], name="1")


def _of_pairs() -> Plan:
    both = {"city": ["Oslo", "Bergen"], "smoker": [True, False]}
    asked = _asked().count(by=["city", "smoker"], keys=both, name="cross")
    listed = [("Oslo", 3), ("Oslo", 4), ("Bergen", -3)]
    return asked.sum("age", lower=0, upper=9, by=["city", "age"], keys=listed, name="listed")


def _of_dates() -> Plan:
    asked = _asked().count(by="day", keys=Keys.dates("day", "2024-01", "2024-03"), name="days")
    asked = asked.count_units(by="day", keys=["2024-01-31", "2024-02-01"], name="texts")
    return asked.count(by="smoker", keys=[True, False], name="truth")


def _of_marginals() -> Plan:
    keys: dict[str, list[Any]] = {
        "city": ["Oslo", "Bergen"],
        "age": [1, 2, 3],
        "smoker": [False, True],
    }
    asked = _asked().marginals(["city", "age", "smoker"], keys=keys, name="tables")
    return asked.histogram("age", lower=0, upper=8, parts=4, by="smoker", keys=[True, False])


def _without_keys() -> Plan:
    return (
        _asked()
        .count(by="city", keys="private", at_least=5, name="private")
        .median("age", lower=0, upper=90)
    )


PLANS: list[tuple[Callable[[], Plan], str]] = [
    (_of_texts, "21a52b9cf314b8c6df409ae03388282f6a145720425d77d11e506703104dd456"),
    (_of_whole_numbers, "6a2d0d19457e429f73eb66d4571929e7a84ea2c4aeb47ee55351fd4be5708d6f"),
    (_of_pairs, "006b570fd6ad54b02df81c322e6a556b19b5840771daefe5e67502ba3dc8986f"),
    (_of_dates, "fd291b86a5298fcfdf17fad83e5d9761b71dd37a3f424cb584adb2f6cbb5d999"),
    (_of_marginals, "1c36de4a857bc8c067d4f60e7c62faad3ff904048176fbac0c9a79468ecd4f47"),
    (_without_keys, "9346ee2f0d36a145077595e2f9ee62ac9528d8982fc643d3cd4a55c1e5d33b0f"),
]


@pytest.mark.parametrize(("make", "digest"), PLANS)
def test_a_plan_keeps_its_digest(make: Callable[[], Plan], digest: str) -> None:
    assert make().digest == digest


KEYS: list[tuple[Keys, str, str]] = [
    (
        Keys.of("a", ["x", "ø", 'q"', "😀"]),
        "d81d6dffe3da4b54d579a3847763a6f4472e7cd565af607654194d785e7fd0fd",
        "4aac6f88a01c0202ff66e0bab72404d35a0ef7538ea3fb87574486efcf0f9980",
    ),
    (
        Keys.of("a", [3, -1, 2**63 - 1]),
        "969981e1fcf88a3c007d675e3a56af921445c44ad9da977d7af44b1fc1ba806d",
        "93d91672d9a1244b8745ec53b64d0f0d42ebdb69b6fe23a3085e208c3e0acce2",
    ),
    (
        Keys.of("a", range(100_000)),
        "a6eaa4de02c12fecd250ad66a583e2ce5e3c27de1223c60ae761889cc24c636d",
        "28b1e03797111afccbe1df9cf2f135a91511b97b5a8e75eeb8e20d8fa504be33",
    ),
    (
        Keys.of("a", [True]),
        "26905b8b2c94cd18bbf6a37450add3b28bd1684c8c82b4bccfc50c57563e3f95",
        "59c8f307ccca6541c27e3db28a8ed20f66ce04c534997eedb081843797f0083e",
    ),
    (
        Keys.dates("a", "2024-01", "2024-12", "month"),
        "c6333b5c351d810421670c063df1621c20cf4554066751faa574be12279fde97",
        "e933adea5b45515f34f856daa93056afac191cef5ca8c97070d64e309a972be4",
    ),
    (
        Keys.cross(a=["x", "y"], b=[1, 2], c=[True, False]),
        "7b74e1c9ee2a1664effccc01b8ca5a0accd269b18bf6133458a89f14ccbd65ef",
        "d93ab8acc2e912ec3441a5e97ade5a0401d4cccd2d19c2d66f1f67a36badf1c5",
    ),
    (
        Keys(["a", "b"], [[1, "x"], (2, "y")]),
        "55cdd4ab64336895f22d49f15bfdabb62329bd7d35ea9d08dab4b48c2fa6c93d",
        "ad088cb4d41d1c08ffb45ebfd27c5b5e497413e222e2cc9e6b3fb55c3a22ce91",
    ),
]


@pytest.mark.parametrize(("keys", "name", "text"), KEYS)
def test_keys_keep_their_fingerprint_and_their_words(keys: Keys, name: str, text: str) -> None:
    assert fingerprint(keys) == name
    assert hashlib.sha256(repr(keys).encode()).hexdigest() == text


def test_a_schedule_with_keys_keeps_its_digest() -> None:
    asked: Any = ln.plan(ln.read(TABLE, unit="person", dataset="visits"), max_groups=1, max_rows=1)
    asked = asked.count(by="city", keys=["Oslo", "Bergen"], name="n")
    asked = asked.count_units(by="age", keys=range(50), name="people")
    found = asked.every("day", start=date(2024, 1, 1), steps=12, column="day")
    assert found.digest == SCHEDULE


SCHEDULE = "1045ea173d55e6917dbdecf0848a5c2fa15aacd2e2a0449ca287b5e6148f4bc7"
