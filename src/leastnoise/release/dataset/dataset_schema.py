"""The published schema of dataset files, and what is checked against it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from leastnoise.errors import InvalidParameter
from leastnoise.release.document.document import Document
from leastnoise.release.document.schema_faults import SchemaCheck


class Described(Protocol):
    """What a file or a mapping says, checked against the schema."""

    @property
    def said(self) -> dict[str, Any]:
        """All of it."""

    def about(self, *path: str | int) -> Any:
        """What is refused inside is about this part."""


def schema_text() -> str:
    """The schema as it is published."""
    return json.dumps(dataset_schema(), indent=2, ensure_ascii=False) + "\n"


@cache
def dataset_schema() -> dict[str, Any]:
    """The schema as a value."""
    file = files("leastnoise.release.dataset").joinpath("dataset_schema.json")
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema


@cache
def _check() -> SchemaCheck:
    return SchemaCheck(dataset_schema(), "a dataset")


def described_in_text(text: str, name: str) -> Described:
    """What a file says.

    Raises:
        InvalidParameter: not TOML, or not as the schema has it; the message says where.
    """
    return Document(text, name, _check())


class DescribedInMapping:
    """What a mapping says, in the words of a file.

    Raises:
        InvalidParameter: not as the schema has it.
    """

    def __init__(self, said: Mapping[str, Any]) -> None:
        try:
            self.said = _plain(said)
        except RecursionError:
            raise InvalidParameter(
                "a dataset must be a mapping of moderate depth; got another. Write less."
            ) from None
        fault = _check().fault_in(self.said)
        if fault is not None:
            raise InvalidParameter(fault.message)

    @contextmanager
    def about(self, *path: str | int) -> Iterator[None]:
        """There is no place to tell."""
        del path
        yield


def _plain(value: Any) -> Any:
    """Mappings and sequences as TOML has them."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value
