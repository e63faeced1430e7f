import copy
import pickle

import pytest

from leastnoise import errors
from leastnoise.errors import InvalidParameter, LeastNoiseError, Undecided, UnsupportedQuery


def _raised_on_purpose() -> list[type[BaseException]]:
    found = [value for value in vars(errors).values() if isinstance(value, type)]
    return [value for value in found if issubclass(value, BaseException)]


def test_every_error_is_below_the_root() -> None:
    assert all(issubclass(error, LeastNoiseError) for error in _raised_on_purpose())


def test_the_root_is_not_a_value_error() -> None:
    assert LeastNoiseError.__bases__ == (Exception,)


@pytest.mark.parametrize(
    ("error", "also"),
    [
        (InvalidParameter, ValueError),
        (UnsupportedQuery, ValueError),
        (Undecided, ArithmeticError),
    ],
)
def test_errors_are_also_what_python_programmers_catch(
    error: type[LeastNoiseError], also: type[Exception]
) -> None:
    with pytest.raises(also, match="words"):
        raise error("words")


def test_the_tree_in_the_docstring_names_every_error() -> None:
    assert errors.__doc__ is not None
    assert all(error.__name__ in errors.__doc__ for error in _raised_on_purpose())


@pytest.mark.parametrize("error", _raised_on_purpose())
def test_errors_cross_process_boundaries(error: type[LeastNoiseError]) -> None:
    for copied in (pickle.loads(pickle.dumps(error("words"))), copy.copy(error("words"))):
        assert type(copied) is error
        assert copied.args == ("words",)
