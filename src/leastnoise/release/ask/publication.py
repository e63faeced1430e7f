"""`Publication`: who publishes a release, and what its readers are shown first; public."""

from collections.abc import Iterable, Mapping
from typing import Any

from leastnoise import _check
from leastnoise._dataclass import dataclass

_MOST_LETTERS = 4000  # of one text: a page has room for that


@dataclass(frozen=True)
class Publication:
    """Words for the report and for catalogues. Privacy rests on none of them.

    Attributes:
        title: of the release; the name of the data if it is empty.
        description: what it is, in a sentence or two.
        publisher: who answers for it.
        licence: under which it may be used, such as "CC BY 4.0".
        cite_as: how to cite it; made from the others if it is empty.
        region: what region the data are about.
        intended_use: what the numbers are for.
        headline: the questions whose answers are shown first, with the words that stand below
            each; no words if they are empty.
        sections: headings, each with the names of its questions.
        texts: by the names of questions, a text of its own for each.
        unit_name: what readers call a unit, such as "patient"; made from its column if empty.
        labels: by the names of columns, what readers call them.
    """

    title: str = ""
    description: str = ""
    publisher: str = ""
    licence: str = ""
    cite_as: str = ""
    region: str = ""
    intended_use: str = ""
    headline: tuple[tuple[str, str], ...] = ()
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    unit_name: str = ""
    labels: tuple[tuple[str, str], ...] = ()

    def label(self, column: str) -> str:
        """What readers call a column; nothing if nobody said."""
        return dict(self.labels).get(column, "")

    @property
    def questions(self) -> tuple[str, ...]:
        """Every question that is named."""
        listed = (name for _, names in self.sections for name in names)
        return (*(name for name, _ in self.headline), *listed, *(name for name, _ in self.texts))

    @classmethod
    def from_values(cls, said: Mapping[str, Any]) -> "Publication":
        """From what JSON makes of it."""
        pairs = {name: tuple((str(a), str(b)) for a, b in said.get(name, ())) for name in _PAIRS}
        sections = tuple((str(head), tuple(map(str, names))) for head, names in said["sections"])
        return cls(**{**said, **pairs, "sections": sections})


_PAIRS = ("headline", "texts", "labels")
NOTHING_SAID = Publication()
"""Of a plan that says nothing."""


def publication(
    *,
    headline: Iterable[str] | Mapping[str, str] = (),
    sections: Mapping[str, Iterable[str]] | None = None,
    texts: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    **words: str,
) -> Publication:
    """What a plan says, checked.

    Raises:
        InvalidParameter: not texts, or very long ones.
    """
    named = headline if isinstance(headline, Mapping) else dict.fromkeys(_names(headline), "")
    return Publication(
        headline=tuple((_text(name), _text(said)) for name, said in named.items()),
        sections=tuple((_text(head), _names(names)) for head, names in (sections or {}).items()),
        texts=tuple((_text(name), _text(said)) for name, said in (texts or {}).items()),
        labels=tuple((_text(name), _text(said)) for name, said in (labels or {}).items()),
        **{name: _text(said) for name, said in words.items()},
    )


def _names(said: Iterable[str]) -> tuple[str, ...]:
    if isinstance(said, str):
        return (_text(said),)
    return tuple(map(_text, said))


def _text(said: object) -> str:
    if isinstance(said, str) and len(said) <= _MOST_LETTERS:
        return said
    raise _check.refuse(
        f"words about a release must be texts of at most {_MOST_LETTERS:,} letters",
        f"a text of {len(said):,}" if isinstance(said, str) else f"a {type(said).__name__}",
        "Write a few words.",
    )
