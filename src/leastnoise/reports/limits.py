"""What was limited beforehand: how much of one unit counted, and what values were cut to."""

from leastnoise.people import many
from leastnoise.people.persons import called
from leastnoise.pictures.names import capital
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_facts import ReleaseFacts
from leastnoise.reports.markup import Markup, element, items, joined, paragraphs, section

_CUT = (
    "Values beyond a limit are moved to it, and no interval holds what that changes. Of rows and "
    "groups that are left out, each question says whether its intervals hold them."
)


def limits_section(release: PlanRelease) -> Markup:
    """The section about bounds and clamps."""
    facts = release.facts
    return section(
        "limits",
        "What was limited beforehand",
        paragraphs(
            f"Noise can hide one {facts.person} only if one {facts.person} cannot change the "
            "results by too much. Therefore the following was limited before anything was computed:"
        ),
        items(*_limits(facts)),
        paragraphs(f"{_whose(facts)} {_CUT}"),
    )


def _whose(facts: ReleaseFacts) -> str:
    """Who set the limits: people, or the data by way of noisy numbers."""
    if facts.chosen is None:
        return (
            "All of these limits are public choices of those who planned the release. The promise "
            "holds if none was taken from the data, which only they can know."
        )
    return (
        f"Some of these limits ({', '.join(facts.chosen.names)}) were chosen from noisy numbers, "
        "for a part of the budget; the others are public choices of those who planned the release."
    )


def _limits(facts: ReleaseFacts) -> list[str]:
    found = []
    if facts.unit is not None:
        found += _of_one_unit(facts)
        found += [f"{capital(flag.words)}." for flag in facts.flags]
    else:
        found.append("Every row counted once; rows are the units that are protected.")
    # What a question does to the values it takes stands after a semicolon.
    who = "" if facts.unit is None else facts.person
    ruled = [question for question in facts.questions if "; " in question.words]
    found += [
        joined((element("strong", question.forecast.question), f": {called(question.words, who)}"))
        for question in ruled
    ]
    return found


def _of_one_unit(facts: ReleaseFacts) -> list[str]:
    """The plan's bounds; a question that has others says so itself."""
    found, who = [], facts.person
    if facts.max_groups is not None:
        found.append(
            f"In each question at most {many(facts.max_groups, 'group')} of one {who} counted. "
            "Where one was in more, some were picked at random."
        )
    if facts.max_rows is not None:
        found.append(
            f"In each group at most {many(facts.max_rows, 'row')} of one {who} counted. Where "
            "one had more, all of them counted with a smaller weight."
        )
    return found
