"""The reference: whoever looks up a public name finds each parameter and an example."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.ledger import Ledger
from leastnoise.privacy import PrivacyLoss
from leastnoise.release.plan import Plan
from leastnoise.release.questionnaire import Questionnaire

UNNAMED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def facade() -> dict[str, Callable[..., Any]]:
    """What `leastnoise` exports, but for modules and errors, which nobody calls."""
    values = {name: getattr(ln, name) for name in ln.__all__}
    return {
        name: value
        for name, value in values.items()
        if callable(value) and not (isinstance(value, type) and issubclass(value, BaseException))
    }


def methods() -> dict[str, Callable[..., Any]]:
    """What is asked of the values that nearly everybody holds."""
    questions = [name for name in dir(Questionnaire) if not name.startswith("_")]
    asked = {
        Plan: [name for name in questions if callable(getattr(Plan, name))]
        + ["preview", "release", "needed"],
        Ledger: ["charge", "cap", "remaining_for", "history", "verify", "contains"],
        PrivacyLoss: [
            name
            for name, value in vars(PrivacyLoss).items()
            if not name.startswith("_")
            and name != "plot"
            and isinstance(value, (classmethod, staticmethod)) | inspect.isfunction(value)
        ],
    }
    return {
        f"{owner.__name__}.{name}": getattr(owner, name)
        for owner, names in asked.items()
        for name in names
    }


def words(value: Callable[..., Any]) -> str:
    """Its docstring, and those of the classes below it, which declare fields."""
    bases = value.__mro__[:-1] if isinstance(value, type) else (value,)
    return "\n".join(each.__doc__ or "" for each in bases)


def parameters(value: Callable[..., Any]) -> list[str]:
    known = inspect.signature(value).parameters.values()
    return [each.name for each in known if each.kind not in UNNAMED and each.name != "self"]


@pytest.mark.parametrize(("name", "value"), [*facade().items(), *methods().items()])
def test_a_docstring_names_each_parameter_and_has_an_example(
    name: str, value: Callable[..., Any]
) -> None:
    """What all questions take is told once, with `Plan`."""
    told = words(value)
    shared = Plan.__doc__ or "" if name.startswith("Plan.") else ""
    missing = [each for each in parameters(value) if not re.search(rf"\b{each}\b", told + shared)]
    assert missing == []
    assert ">>> " in told
