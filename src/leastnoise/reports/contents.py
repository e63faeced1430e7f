"""The list of questions: what each one is, its noise, what was kept and its grades."""

from collections.abc import Sequence

from leastnoise.people import many, said_count
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.markup import Markup, element, joined, scrolled, text
from leastnoise.reports.question import chips, kept_text, noise_text
from leastnoise.reports.view import QuestionView

_GROUPED_FROM = 15  # questions: a longer list needs headings
_HEADS = ("", "Question", "Answer", "Noise, 95 %", "Kept", "Grades")


def grouped(
    release: PlanRelease, views: Sequence[QuestionView]
) -> list[tuple[str, list[QuestionView]]]:
    """The questions under the plan's headings, those without one first."""
    by_name = {view.table.name: view for view in views}
    sections = release.facts.publication.sections
    listed = {name for _, names in sections for name in names}
    rest = [view for view in views if view.table.name not in listed]
    found = [("", rest)] if rest else []
    return found + [
        (head, [by_name[name] for name in names if name in by_name]) for head, names in sections
    ]


def contents(release: PlanRelease, views: Sequence[QuestionView]) -> Markup:
    """The section."""
    parts = []
    for head, mine in grouped(release, views):
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
    long = len(views) > _GROUPED_FROM and not release.facts.publication.sections
    count = element("p", many(len(views), "question"), class_="small") if long else Markup("")
    return element(
        "section",
        element("h2", "The questions", id="questions"),
        count,
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
