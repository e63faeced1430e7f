"""Hands docstrings to the site's reader of docstrings in Markdown."""

# mypy: allow-subclassing-any

from typing import Any

import griffe

from docs_site.as_markdown import as_markdown


class Docstrings(griffe.Extension):
    """Rewrites each docstring before it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrites one of them."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)
