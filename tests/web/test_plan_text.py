"""What the page asks becomes TOML that says the same."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.errors import InvalidParameter
from leastnoise.web.plan_text import plan_text

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
plain = texts | numbers | st.booleans()
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
tables = st.dictionaries(texts, values, max_size=4)


@given(tables, tables, st.lists(tables, max_size=3))
def test_a_plan_reads_back_as_it_was_said(
    data: dict[str, object], budget: dict[str, object], questions: list[dict[str, object]]
) -> None:
    said = {"data": data, "budget": budget} | ({"question": questions} if questions else {})
    assert tomllib.loads(plan_text(said)) == said


@pytest.mark.parametrize("value", [None, {"a": None}, [None], object(), (1,)])
def test_what_toml_cannot_hold_is_refused(value: object) -> None:
    with pytest.raises(InvalidParameter):
        plan_text({"data": {"x": value}})
    with pytest.raises(InvalidParameter):
        plan_text({"data": value})


def test_text_cannot_leave_its_quotes() -> None:
    hostile = '"\n[budget]\nspend = {epsilon = 1000}\n#'
    read = tomllib.loads(plan_text({"data": {"path": hostile}}))
    assert read == {"data": {"path": hostile}}
