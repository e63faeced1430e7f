"""Docstrings say `Example:`; the reader of docstrings knows `Examples:` as code to show."""

import re
from typing import Any

import griffe

_HEADING = re.compile(r"^Example:$", re.MULTILINE)


class Examples(griffe.Extension):
    """Shows examples as code."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Renames the section in one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = _HEADING.sub("Examples:", obj.docstring.value)
