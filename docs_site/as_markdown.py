"""`as_markdown`: docstrings as the site shows them, with sections, formulas and links."""

import re

_EXAMPLE = re.compile(r"^Example:$", re.MULTILINE)
_SECTION = re.compile(r"\n*^(Law|Theorem|Definition|Proof|References): (?=\S)", re.MULTILINE)
_LAW = "**Law:** "
_PROOF = re.compile(r"\bdocs/proofs/(\w+)\.md\b")
_TIMES = re.compile(r"(?<=[\w)\]])( ?)(\*\*?)( ?)(?=[\w(−-])")


def as_markdown(text: str) -> str:
    """A docstring in Markdown that the reader of docstrings understands.

    It knows `Examples:` as code; a star between numbers is no emphasis.
    """
    words, heading, examples = _EXAMPLE.sub("Examples:", text).partition("\nExamples:\n")
    words = _SECTION.sub(r"\n\n**\1:** ", words)
    parts = [
        _as_code(each) if _is_formula(each) else _as_prose(each) for each in words.split("\n\n")
    ]
    return "\n\n".join(parts) + heading + examples


def _is_formula(part: str) -> bool:
    return part.startswith(_LAW) and part.isascii()


def _as_code(part: str) -> str:
    first, *rest = part.removeprefix(_LAW).splitlines()
    return "\n".join([_LAW, "", "```python", first, *rest, "```"])


def _as_prose(part: str) -> str:
    outside_code = part.split("`")
    outside_code[::2] = [_TIMES.sub(_escaped, each) for each in outside_code[::2]]
    return _PROOF.sub(r"[proofs/\1](../proofs/\1.html)", "`".join(outside_code))


def _escaped(found: re.Match[str]) -> str:
    before, stars, after = found.groups()
    return before + stars.replace("*", r"\*") + after
