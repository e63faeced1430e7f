"""What is looked at in an output depends on that output alone, and sees what it should."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.auditing.array_columns import array_columns, lowest_bit
from leastnoise.auditing.columns import Columns
from leastnoise.auditing.object_columns import Raised, object_columns
from leastnoise.auditing.outputs import View, chosen_view
from leastnoise.auditing.parities import learned_parities
from leastnoise.auditing.scores import learned_scores
from tests.lasting_id import lasting_id

FLOATS = st.floats(allow_nan=True, allow_infinity=True)


@given(st.floats(allow_nan=False, allow_infinity=False).filter(bool))
def test_lowest_bit_is_the_power_of_two_that_divides(value: float) -> None:
    found = int(lowest_bit(np.array([value]))[0])
    quotient = Fraction(value) / Fraction(2) ** found
    assert quotient.denominator == 1
    assert quotient.numerator % 2 == 1


def same(one: np.ndarray, other: np.ndarray) -> bool:
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))


@given(
    st.lists(FLOATS, min_size=1, max_size=5) | st.lists(st.integers(-(2**61), 2**61), min_size=1)
)
def test_a_number_is_seen_alike_alone_and_among_other_things(values: list[float]) -> None:
    """An event must not depend on whether some other output was an exception."""
    alone = array_columns(np.array(values))
    among = object_columns([*values, Raised("ValueError")], ("output",))
    for name in {*alone.numbers, *among.numbers}:
        assert same(alone.number(name), among.number(name)[:-1]), name
    for name in {*alone.codes, *among.codes}:
        assert same(alone.code(name), among.code(name)[:-1]), name
    for name in {*alone.words, *among.words}:
        assert same(alone.word(name), among.word(name)[:-1]), name


MANY = [
    0,
    1.5,
    math.nan,
    math.inf,
    -math.inf,
    -0.0,
    10**400,
    None,
    True,
    "text",
    "",
    "\ud800",
    b"\x00",
    (1, 2.5),
    [],
    {"a": 1, "b": (2, "x")},
    {"x", "y"},
    frozenset(),
    np.arange(3),
    np.float32(0.1),
    np.int64(7),
    Fraction(1, 3),
    object(),
    Raised("KeyError"),
]


@pytest.mark.parametrize("output", MANY, ids=lasting_id)
def test_every_kind_of_output_is_seen_alike_in_every_company(output: object) -> None:
    view = chosen_view(MANY, [output])
    alone, among = view.columns([output, output]), view.columns([*MANY, output])
    for name in among.numbers:
        assert same(alone.number(name)[:1], among.number(name)[-1:]), name
    for name in among.codes:
        assert alone.code(name)[0] == among.code(name)[-1], name
    for name in {*alone.words, *among.words}:
        assert alone.word(name)[0] == among.word(name)[-1], name


def test_kinds_of_output_are_told_apart() -> None:
    codes = View(("output",)).columns(MANY).codes["output itself"]
    assert len(set(codes.tolist())) == len(MANY)


def test_kinds_have_names() -> None:
    columns = array_columns(np.array([1.0, math.nan, math.inf, -math.inf]))
    kinds = [columns.label("kind of output", k) for k in columns.codes["kind of output"].tolist()]
    assert kinds == ["a float", "NaN", "+inf", "-inf"]
    odd = [Raised("KeyError"), Raised("ValueError"), None, "x", 1, True, (1,), (1, 2)]
    found = View(("output",)).columns(odd).codes["kind of output"]
    assert len(set(found.tolist())) == len(odd)


def test_keys_and_members_have_columns() -> None:
    outputs: list[object] = [{"a": 1}, {"b": 2}, {"x"}]
    columns = chosen_view(outputs, outputs).columns(outputs)
    assert columns.codes["presence of output['a']"].tolist() == [1, 0, 0]
    assert columns.codes["presence of 'x' in output"].tolist() == [0, 0, 1]


def test_texts_bytes_and_orders_are_words() -> None:
    outputs: list[object] = [{"a": "x", "b": b"\x01\x02"}, {"b": b"", "a": "123456789"}]
    words = View(("output", "output['a']", "output['b']")).columns(outputs).words
    assert words["bytes 0 to 7 of output['a']"].tolist() == [
        ord("x"),
        int.from_bytes(b"12345678", "little"),
    ]
    assert words["bytes 8 to 15 of output['a']"].tolist() == [0, ord("9")]
    assert words["last bytes of output['a']"].tolist() == [
        ord("x"),
        int.from_bytes(b"98765432", "little"),
    ]
    assert words["bytes 0 to 7 of output['b']"].tolist() == [0x0201, 0]
    assert words["order of keys"].tolist() == [1, 0]


def test_integers_of_any_size_have_their_last_64_bits() -> None:
    words = View(("output",)).columns([2**64 + 5, -1, 2**63, None]).words
    assert words["output"].tolist() == [5, -1, -(2**63), 0]


def test_a_parity_says_which_bits() -> None:
    coins = np.random.default_rng(3)
    first, second, third = coins.integers(0, 256, (3, 1000))
    one = Columns(1000, words={"a": first, "b": second, "c": third & ~1 | (first ^ second) & 1})
    other = Columns(1000, words={"a": first, "b": second, "c": third})
    *_, three = learned_parities(one, other)
    assert three.name == "parity of bit 0 of a and bit 0 of b and bit 0 of c"
    assert not three.of(one).any()
    assert 400 < three.of(other).sum() < 600
    constant = Columns(4, words={"a": np.zeros(4, np.int64)})
    assert learned_parities(constant, constant) == learned_parities(Columns(4), Columns(4)) == ()


def test_vectors_are_seen_by_coordinate_and_as_a_whole() -> None:
    columns = array_columns(np.array([[1, 2], [2, 1], [1, 2]]))
    assert columns.numbers["output[1]"].tolist() == [2, 1, 2]
    first, second, third = columns.codes["output itself"].tolist()
    assert first == third != second


def test_a_learned_score_knows_what_is_missing() -> None:
    one, other = (
        Columns(6, {"x": np.array(x), "y": np.zeros(6)})
        for x in ([math.nan] * 5 + [1.0], [1.0] * 5 + [math.nan])
    )
    (score,) = learned_scores(one, other)
    missing, present = score.of(Columns(2, {"x": np.array([math.nan, 1.0]), "y": np.zeros(2)}))
    assert missing > 0 > present
    assert missing == pytest.approx(math.log(6 / 2))


def test_a_feature_of_ones_own() -> None:
    def digits(output: str) -> float:
        return float(len(output))

    columns = chosen_view(["a"], ["b"], (digits,)).columns(["abc", Raised("KeyError")])
    assert same(columns.numbers["feature digits"], np.array([3, math.nan]))
