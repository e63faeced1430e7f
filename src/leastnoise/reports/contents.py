"""The list of questions: what each one is, its noise, what was kept and its grades."""

from itertools import count

from leastnoise.people import many, said_count
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.markup import Markup, element, joined, scrolled, text
from leastnoise.reports.question import chips, kept_text, noise_text
from leastnoise.reports.view import QuestionView

_HEADS = ("", "Question", "Answer", "Noise, 95 %", "Kept", "Grades")


Sections = list[tuple[str, list[QuestionView]]]
"""Headings, each with its questions; one empty heading if there are no others."""


def grouped(release: PlanRelease) -> Sections:
    """The questions under the plan's headings, and those without one at the end."""
    by_name = {table.name: table for table in release.tables}
    sections = [(head, [*names]) for head, names in release.facts.publication.sections]
    listed = {name for _, names in sections for name in names}
    rest = [table.name for table in release.tables if table.name not in listed]
    if rest:
        sections.append(("Others" if sections else "", rest))
    numbers = count(1)
    return [
        (head, [QuestionView(by_name[name], next(numbers), release) for name in names])
        for head, names in sections
    ]


def contents(sections: Sections) -> Markup:
    """The section."""
    parts = []
    for head, mine in sections:
        if head:
            cell = element("th", head, colspan="6", scope="rowgroup")
            parts.append(element("tr", cell, class_="group"))
        parts += [_row(view) for view in mine]
    heads = [_head(name) for name in _HEADS]
    table = element(
        "table",
        element("caption", "The questions of this release", class_="hidden"),
        element("thead", element("tr", *heads)),
        element("tbody", *parts),
        class_="contents",
    )
    return element(
        "section",
        element("h2", "The questions", id="questions"),
        element("nav", scrolled(table, name="The questions"), aria_label="Contents"),
    )


def _head(name: str) -> Markup:
    if not name:
        return element("th", element("span", "Number", class_="hidden"), scope="col")
    numeric = name in {"Noise, 95 %", "Kept"}
    look = {"Noise, 95 %": "n noise", "Kept": "n", "Answer": "answer"}.get(name, "")
    return element("th", name, scope="col", **({"class_": look} if look or numeric else {}))


def _row(view: QuestionView) -> Markup:
    kept = kept_text(view)
    look = "n careful" if view.is_cut_more_than_noise else "n"
    return joined(
        (
            Markup(
                f'<tr><td>{view.number}</td><th scope="row">'
                f'<a href="#{view.id}">{text(view.title)}</a></th>'
                f'<td class="answer">{text(_answer(view))}</td>'
                f'<td class="n noise">{text(noise_text(view))}</td>'
                f'<td class="{look}">{text(kept)}</td>'
                f'<td class="grades">{chips(view.grade_counts)}</td></tr>'
            ),
        )
    )


def _answer(view: QuestionView) -> str:
    count = len(view.table)
    if count == 1:
        return "one number"
    if view.kind == "ColumnQuantiles":
        return many(count, "quantile")
    if view.kind == "Histogram":
        return many(count, "part")
    return f"{said_count(count)} {'numbers' if view.kind == 'Marginals' else 'groups'}"
