"""Hands docstrings to the site's reader of docstrings in Markdown, and constructors with them."""

# mypy: allow-subclassing-any

import inspect
import re
from importlib import import_module
from typing import Any

import griffe

from docs_site.as_markdown import as_markdown
from leastnoise._check import Exact


class Docstrings(griffe.Extension):
    """Rewrites each docstring before it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites one of them."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_alias_instance(self, *, alias: griffe.Alias, **_: Any) -> None:
        """Calls our `dataclass` by the name of the one that it stands for, which griffe knows."""
        if alias.target_path == "leastnoise._dataclass.dataclass":
            alias.target_path = "dataclasses.dataclass"

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Gives a frozen class the constructor that its fields declare (`_frozen.py`)."""
        found: Any = getattr(import_module(cls.module.path), cls.name, None)
        plain = any("dataclass" in str(each.value) for each in cls.decorators)
        if plain or "__init__" in cls.members or not hasattr(found, "__dataclass_fields__"):
            return
        made = griffe.Function("__init__", lineno=0, endlineno=0, parent=cls, returns="None")
        made.parameters = griffe.Parameters(
            griffe.Parameter("self", kind=griffe.ParameterKind.positional_or_keyword),
            *map(_parameter, inspect.signature(found).parameters.values()),
        )
        cls.set_member("__init__", made)


def _parameter(known: inspect.Parameter) -> griffe.Parameter:
    return griffe.Parameter(
        known.name,
        annotation=_short(known.annotation),
        kind=griffe.ParameterKind(known.kind.description),
        default=None if known.default is known.empty else repr(known.default),
    )


def _short(annotation: object) -> str:
    """Names without their modules, as they are written in the source."""
    text = inspect.formatannotation(annotation).replace(str(Exact), "Exact")
    return re.sub(r"<class '(\w+)'>|(?:\w+\.)+(\w+)|~(\w+)", r"\1\2\3", text)
