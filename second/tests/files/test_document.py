"""Every key of a TOML text is found where it stands."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.files.document import Document
from leastnoise.numbers.errors import InvalidInput

HARD = '''\
# a = 1, not a key
"quoted key" = "a # no comment"  # a comment
'literal.key' = 'C:\\path'
a.b . "c d" = 1
text = """first "" line
b = 2  # not a key""""
other = \'\'\'
[not.a.table]
it's\'\'\'
list = [ 1, [2, 3], # [x]
  {in_list = {deep = 1}}, "],", 1979-05-27 07:32:00 ]
inline = {x = 1, "y z" = [{k = "}"}], dotted.key = 3}
time = 07:32:00

[ table . "sub.table" ]
key = true
[[many]]
n = 1
[[many]]
n = 2
'''

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=8)
values = st.recursive(
    st.one_of(st.booleans(), st.integers(-99, 99), texts, st.dates()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def keys_of(value: Any, inside: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """All ways to a value, through lists without a number."""
    if isinstance(value, list):
        return {found for each in value for found in keys_of(each, inside)}
    if not isinstance(value, dict):
        return set()
    found = {(*inside, key) for key in value}
    return found | {more for key in value for more in keys_of(value[key], (*inside, key))}


def toml(value: Any) -> str:
    """A value as TOML, on one line."""
    match value:
        case dict():
            return (
                "{"
                + ", ".join(
                    f"{json.dumps(k, ensure_ascii=False)} = {toml(v)}" for k, v in value.items()
                )
                + "}"
            )
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def check_places(text: str) -> None:
    document = Document.read("x.toml", text)
    assert document.places.keys() == keys_of(document.values)
    for keys, (start, end) in document.places.items():
        assert tomllib.loads(f"{document.text[start:end]} = 0") == {keys[-1]: 0}


def test_the_keys_of_a_hard_text_are_found() -> None:
    check_places(HARD)


@given(st.dictionaries(texts, values, max_size=4), st.dictionaries(texts, values, max_size=3))
def test_keys_are_found_where_they_stand(top: dict[str, Any], table: dict[str, Any]) -> None:
    lines = [
        f"{json.dumps(key, ensure_ascii=False)} = {toml(value)} # {key!r}"
        for key, value in top.items()
    ]
    lines += ['["the \' table".x]']
    lines += [
        f"{json.dumps(key, ensure_ascii=False)}={toml(value)}" for key, value in table.items()
    ]
    check_places("\n".join(lines))


def test_a_message_shows_the_line_and_marks_the_key() -> None:
    document = Document.read("clinic.toml", "[a]\n  bc = 1\r\n")
    assert str(document.error(("a", "bc"), "it is wrong.\nDo that.")) == (
        "clinic.toml, line 2, column 3: it is wrong.\n      bc = 1\n      ^^\nDo that."
    )
    assert str(document.error(("a", "missing"), "No.")).startswith("clinic.toml, line 1, column 2:")
    assert str(document.error(("x",), "No.")) == "clinic.toml: No."


def test_a_mark_in_a_long_line_stays_on_the_screen() -> None:
    document = Document.read("x.toml", f'a = {{b = "{"b" * 200}", long_key = 1}}')
    lines = str(document.error(("a", "long_key"), "No.")).split("\n")
    assert lines[1][lines[2].index("^") :].startswith("long_key")
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = 1\nb = = 2\n", "line 2, column 5"),
        ("a = [1,\n", "line 1, column 8"),
        ("a = 1\na = 2\n", "line 2, column 6"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(InvalidInput, match=f"x.toml, {place}: this is no TOML") as error:
        Document.read("x.toml", text)
    assert len(str(error.value).split("\n")) == 3
