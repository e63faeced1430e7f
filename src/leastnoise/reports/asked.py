"""What was asked, and what was limited beforehand."""

from leastnoise.release.result.forecast import Forecast
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_facts import QuestionFacts, ReleaseFacts
from leastnoise.release.result.shown_row import shown_number
from leastnoise.reports.markup import (
    Markup,
    element,
    headed_table,
    items,
    joined,
    paragraphs,
    scrolled,
    section,
)
from leastnoise.reports.numbers import many, part

_HEADINGS = ("question", "what it asks", "numbers", "typical error, as foretold", "part of budget")


def asked_section(release: PlanRelease) -> Markup:
    """The section about the questions."""
    caption = "The questions, with the errors that were known before any data was read"
    table = headed_table(caption, _HEADINGS, map(_row, release.facts.questions))
    return section("asked", "What was asked", scrolled(table, name="The questions", kind="asked"))


def _row(question: QuestionFacts) -> Markup:
    told = question.forecast
    answers = "as many as the data have" if told.answers is None else f"{told.answers:,}"
    return element(
        "tr",
        element("th", told.question, scope="row"),
        element("td", question.words),
        element("td", answers, class_="n"),
        element("td", _error(told)),
        element("td", part(told.share), class_="n"),
    )


def _error(told: Forecast) -> str:
    """As far as it was known: errors of means and the like depend on how many rows there are."""
    if told.expected_error is None:
        return told.error_words if told.per_row is None else f"±{told.error_words}"
    of = "" if told.of == "answer" else f" (of the {told.of} behind it)"
    for_ = "" if told.per_row is None else f", for {told.expected:,} {told.rows}"
    size = shown_number(float(f"{told.expected_error:.3g}"), grouped=True)
    return f"±{size}{of}{for_}"


def limits_section(release: PlanRelease) -> Markup:
    """The section about bounds and clamps."""
    facts = release.facts
    return section(
        "limits",
        "What was limited beforehand",
        paragraphs(
            "Noise can hide one person only if one person cannot change the results by too much. "
            "Therefore the following was limited before anything was computed:"
        ),
        items(*_limits(facts)),
        paragraphs(f"{_whose(facts)} {_CUT}"),
    )


_CUT = (
    "Values beyond a limit are moved to it, and no interval holds what that changes. Of rows and "
    "groups that are left out, the lines below each table say whether its intervals hold them."
)


def _whose(facts: ReleaseFacts) -> str:
    """Who set the limits: people, or the data by way of noisy numbers."""
    if facts.chosen is None:
        return (
            "All of these limits are public choices of those who planned the release. None was "
            "taken from the data, so none gives anything away."
        )
    return (
        f"Some of these limits ({', '.join(facts.chosen.names)}) were chosen from noisy numbers, "
        "for a part of the budget; the others are public choices of those who planned the release."
    )


def _limits(facts: ReleaseFacts) -> list[str]:
    found = []
    if facts.unit is not None:
        found += _of_one_person(facts)
        found += [f"{flag.words[:1].upper()}{flag.words[1:]}." for flag in facts.flags]
    else:
        found.append("Every row counted once; rows are the units that are protected.")
    found += [
        joined((element("strong", question.forecast.question), f": {_kept(from_)}"))
        for question in facts.questions
        if (from_ := question.forecast.shown_from) is not None
    ]
    # What a question does to the values it takes stands after a semicolon.
    ruled = [question for question in facts.questions if "; " in question.words]
    found += [
        joined((element("strong", question.forecast.question), f": {question.words}"))
        for question in ruled
    ]
    return found


def _of_one_person(facts: ReleaseFacts) -> list[str]:
    """The plan's bounds; a question that has others says so itself."""
    found = []
    if facts.max_groups is not None:
        found.append(
            f"In each question at most {many(facts.max_groups, 'group')} of one person counted. "
            "Where someone was in more, some were picked at random."
        )
    if facts.max_rows is not None:
        found.append(
            f"In each group at most {many(facts.max_rows, 'row')} of one person counted. Where "
            "someone had more, all of them counted with a smaller weight."
        )
    return found


def _kept(units: int) -> str:
    return (
        "the groups were found in the data. A group is left out at random if few are in it; one "
        f"with {units:,} or more is shown with a probability of at least 95 %."
    )
