"""The report of a release: one page that stands for itself."""

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path

from leastnoise import _check
from leastnoise._display import visible
from leastnoise.people import many
from leastnoise.pictures.whole_file import write_whole
from leastnoise.privacy.spoken import said
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.contents import Sections, contents, grouped
from leastnoise.reports.first_screen import first_screen, title_of
from leastnoise.reports.glossary import glossary_section
from leastnoise.reports.limits import limits_section
from leastnoise.reports.markup import Markup, element, joined, paragraphs
from leastnoise.reports.methods import checking_section, ledger_section, methods_section
from leastnoise.reports.promise import promise_section
from leastnoise.reports.question import Files, question_section
from leastnoise.reports.style import style
from leastnoise.reports.view import QuestionView

# What is cut is hatched, for those who see no colours and for grey paper.
_HATCH = Markup(
    '<svg width="0" height="0" class="hidden" aria-hidden="true"><defs><pattern id="hatch" '
    'width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="hatch-ground" width="6" height="6"></rect>'
    '<rect class="hatch-line" width="3" height="6"></rect></pattern></defs></svg>'
)
_LARGEST_TITLE = 80  # letters at the foot of a printed page


def write_report(release: PlanRelease, path: str | Path) -> None:
    """Write the report of a release, all of it or nothing.

    Raises:
        InvalidParameter: not a release, or a place that cannot be written to.
    """
    write_whole(Path(path), report_html(release).encode())


def report_html(release: PlanRelease, files: Mapping[str, Files] | None = None) -> str:
    """The report of a release as one HTML page: no scripts, nothing loaded from anywhere.

    Args:
        release: what was released.
        files: for each question, by its name, its files beside the page, by their form;
            release.json and the descriptions are there then, too. None if the page stands alone.
    """
    if not isinstance(release, PlanRelease):
        raise _check.refuse(
            "a report must be of a release", f"a {type(release).__name__}", "Release a plan first."
        )
    body = _body(release, files)
    return f'<!DOCTYPE html>\n<html lang="en">\n{_head(release)}\n{body}\n</html>\n'


def _head(release: PlanRelease) -> Markup:
    title = title_of(release)
    short = visible(title)[:_LARGEST_TITLE]
    sheet = style(f"{short} · release {release.entry.number} · {said(release.guarantee)}")
    # A page that may load nothing and run nothing, whatever a name in it looks like.
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="leastnoise"),
        element("title", title),
        element("style", sheet),
    )


def _body(release: PlanRelease, files: Mapping[str, Files] | None) -> Markup:
    sections = grouped(release)
    shown = [view for _, mine in sections for view in mine]
    main = element(
        "main",
        first_screen(release, shown),
        contents(sections),
        *_questions(sections, files or {}),
        _appendix(release, shown),
        id="main",
    )
    skip = element("a", "Skip to the report", href="#main", class_="skip")
    parts = [skip, _HATCH, _top(release, files), main, _foot(release)]
    return element(
        "body",
        joined(part for each in parts for part in ("\n", each)),
        itemscope="",
        itemtype="https://schema.org/Dataset",
    )


def _questions(sections: Sections, files: Mapping[str, Files]) -> list[Markup]:
    found = []
    for head, mine in sections:
        if head:
            found.append(element("h2", head))
        found += [question_section(view, files.get(view.table.name, {})) for view in mine]
    return found


def _top(release: PlanRelease, files: Mapping[str, Files] | None) -> Markup:
    name = element(
        "span", element("strong", "Release report"), f" · {release.facts.dataset or 'tables'}"
    )
    if files is None:
        return element("header", name)
    links = [element("a", "JSON", href="./release.json", itemprop="distribution")]
    tables = sum("csv" in each for each in files.values())
    if tables:
        links.append(element("a", many(tables, "CSV file"), href="#questions"))
        links.append(element("a", "CSVW", href="./csv-metadata.json"))
    links.append(element("a", "catalogue entry", href="./dataset.json"))
    links.append(element("a", "registry entry", href="./registry.yaml"))
    parts = [part for link in links for part in (Markup(" · "), link)][1:]
    return element("header", name, element("span", "Data: ", *parts))


def _appendix(release: PlanRelease, shown: list[QuestionView]) -> Markup:
    return element(
        "section",
        element("h2", "Appendix: promise, method, checks", id="appendix"),
        promise_section(release),
        limits_section(release),
        methods_section(release, shown),
        ledger_section(release),
        checking_section(release),
        glossary_section(release),
        class_="appendix",
    )


def _foot(release: PlanRelease) -> Markup:
    return element(
        "footer",
        paragraphs(
            "This page contains nothing but what was released; no raw data. Made with leastnoise "
            f"{release.facts.version}."
        ),
    )
