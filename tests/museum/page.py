"""`page`: the text of docs/museum.md, made from the exhibits.

Usage: python -m tests.museum.page > docs/museum.md
"""

from tests.museum.collection import ROOMS, exhibits
from tests.museum.exhibit import Exhibit

HEAD = """\
# The museum of broken mechanisms

Every mechanism here was once believed, published or shipped, or is one slip away from one that was.
They exist in the tests only (`tests/museum/`). Each makes a promise, and each must be caught:

- **exact**: by a proof. The law's own verifier, the chances of all outputs as fractions, all
  transcripts of a sparse vector, a bracket on the privacy loss, or the true distance between
  neighbours' answers.
- **by samples**: by the auditor, which sees outputs only. The number says how many it may draw; it
  cries wolf with probability 10⁻⁶ at most.

The same evidence must find nothing in sound mechanisms; the tests look at that, too. This page is
made from the exhibits (`python -m tests.museum.page`), and a test compares the two.
"""
TABLE = "| exhibit | what is wrong | promise | caught | shown by |\n|---|---|---|---|---|\n"


def page() -> str:
    """The whole page."""
    shown = exhibits()
    parts = [HEAD, f"{len(shown)} exhibits.\n"]
    for room in ROOMS:
        rows = [_row(each) for each in shown if each.room == room.__name__]
        title = room.__name__.rpartition(".")[2].replace("_", " ").capitalize()
        words = " ".join((room.__doc__ or "").split("\n\n")[0].split())
        parts.append(f"## {title}\n\n{words}\n\n{TABLE}{''.join(rows)}")
    return "\n".join(parts)


def _row(shown: Exhibit) -> str:
    budget = shown.evidence.budget
    caught = f"{budget:,} samples".replace(",", " ") if budget else "exact"
    sources = ", ".join(shown.sources)
    cells = (shown.name, shown.fault, shown.evidence.claim, caught, sources)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


if __name__ == "__main__":
    print(page(), end="")
