"""Mathematics between dollar signs, as MathML: typeset by the browser, nothing is loaded."""

# mypy: allow-subclassing-any, disable-error-code="import-untyped, import-not-found"

import re
from typing import Any
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString

_AFTER_CODE_BEFORE_ESCAPES = 185
_BLOCK = r"\$\$(.+?)\$\$"
_INLINE = r"(?<![\\$\w])\$(?![\s$])([^$\n]+?)(?<![\s\\])\$(?![\w$])"
_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_TIGHT = frozenset("/|‖")
_SIGNS = frozenset("-−+±∓")
_OPENING = frozenset("([|‖{⌈⌊⟨,;:/=<>≤≥≠∈→↦∼≈·×−+")


class Formula(InlineProcessor):
    """One formula, in a line or on lines of its own."""

    def __init__(self, pattern: str, md: Markdown, display: str) -> None:
        super().__init__(pattern, md)
        self.display = display

    def handleMatch(  # noqa: N802 - the name is the library's
        self, m: re.Match[str], data: str
    ) -> tuple[ElementTree.Element, int, int]:
        """The formula as an element that later rules leave alone."""
        del data
        found = ElementTree.fromstring(
            convert(m.group(1).strip(), display=self.display).replace(_NAMESPACE, "", 1)
        )
        for each in found.iter():
            _space(each)
            each.text = AtomicString(each.text) if each.text else None
        return found, m.start(0), m.end(0)


def _space(row: ElementTree.Element) -> None:
    """Space as print has it: none after a sign, around a slash and inside bars."""
    if row.get("width") == "thinmathspace":
        row.set("width", "0.167em")  # browsers know lengths, not names
    before = None
    for each in row:
        if each.tag == "mo" and each.text in _TIGHT:
            each.set("lspace", "0")
            each.set("rspace", "0")
        elif each.text == "(" and before is not None and before.tag == "mo" and _is_name(before):
            before.set("rspace", "0")
        elif each.text in _SIGNS and before is not None and before.text in _OPENING:
            each.set("form", "prefix")
        before = each


def _is_name(operator: ElementTree.Element) -> bool:
    return bool(operator.text) and str(operator.text).isalpha() and len(str(operator.text)) > 1


class Mathematics(Extension):
    """Formulas between dollar signs."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is the library's
        """Adds both rules; code has been taken out by then."""
        for name, pattern in (("block", _BLOCK), ("inline", _INLINE)):
            rule = Formula(pattern, md, name)
            priority = _AFTER_CODE_BEFORE_ESCAPES + (name == "block")
            md.inlinePatterns.register(rule, f"{name}_formula", priority)


def makeExtension(**options: Any) -> Mathematics:  # noqa: N802 - the name is the library's
    """How the library finds the extension."""
    return Mathematics(**options)
