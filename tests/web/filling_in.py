"""What a person fills in on the Release view, from a file to its questions."""

from tests.web.pages import Page
from tests.web.visits import CITIES


def typed(page: Page) -> None:
    """A file whose columns are known; whose rows they are is asked next."""
    page.open("release")
    page.type("path", "visits.csv")
    page.submit("data-form")
    page.wait_for("columns-answer", "Take all guesses")
    page.press("take-guesses")
    page.wait(lambda: "Take all guesses" not in page.text("columns-answer") or None)
    page.press("next-whose")


def looked_at(page: Page) -> None:
    """A file whose columns are known, and whose rows they are."""
    typed(page)
    page.choose("unit", "patient_id")


def limited(page: Page, groups: str, rows: str) -> None:
    """How much of one person counts."""
    page.press("step-limits")
    page.type("max-groups", groups)
    page.type("max-rows", rows)


def asked(page: Page) -> None:
    """How many people there are by city, and their mean age."""
    page.press("step-ask")
    page.choose("question-1-kind", "units")
    page.choose("question-1-by", "city")
    page.type("question-1-keys", ", ".join(CITIES))
    page.press("add-question")
    page.choose("question-2-kind", "mean")
    page.choose("question-2-column", "age")
    page.type("question-2-lower", "0")
    page.type("question-2-upper", "100")
