"""Markdown in which an underscore is an underscore: Σ_{i<k} is mathematics, no emphasis."""

# mypy: allow-subclassing-any, disable-error-code="import-untyped, import-not-found"

import re
from typing import Any

from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import ETX, STX

_AFTER_CODE_AND_LINKS_BEFORE_EMPHASIS = 65


class Underscores(InlineProcessor):
    """Takes each underscore for what it is, as if it had been escaped."""

    def handleMatch(  # noqa: N802 - the name is the library's
        self, m: re.Match[str], data: str
    ) -> tuple[str, int, int]:
        """Hides one from later rules."""
        del data
        return f"{STX}{ord('_')}{ETX}", m.start(0), m.end(0)


class PlainUnderscores(Extension):
    """Leaves emphasis to stars."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is the library's
        """Adds the rule."""
        rule = Underscores("_", md)
        md.inlinePatterns.register(rule, "plain_underscores", _AFTER_CODE_AND_LINKS_BEFORE_EMPHASIS)


def makeExtension(**options: Any) -> PlainUnderscores:  # noqa: N802 - the name is the library's
    """How the library finds the extension."""
    return PlainUnderscores(**options)
