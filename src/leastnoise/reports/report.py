"""The report of a release: one page that stands for itself."""

from pathlib import Path

from leastnoise import _check
from leastnoise.pictures.whole_file import write_whole
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.asked import asked_section, limits_section
from leastnoise.reports.markup import Markup, element, joined, paragraphs
from leastnoise.reports.methods import checking_section, ledger_section, methods_section
from leastnoise.reports.numbers import many, moment, powers
from leastnoise.reports.promise import promise_section
from leastnoise.reports.style import STYLE
from leastnoise.reports.tables import tables_section

# A page that may load nothing and run nothing, whatever a name in it looks like.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CONTENTS = {
    "asked": "What was asked",
    "promise": "Who is protected, and how well",
    "limits": "What was limited beforehand",
    "tables": "The results",
    "methods": "How the noise was made",
    "ledger": "What it cost, and what is left",
    "checking": "How to check this",
}


def write_report(release: PlanRelease, path: str | Path) -> None:
    """Write the report of a release, all of it or nothing.

    Raises:
        InvalidParameter: not a release, or a place that cannot be written to.
    """
    write_whole(Path(path), report_html(release).encode())


def report_html(release: PlanRelease) -> str:
    """The report of a release as one HTML page: no scripts, nothing loaded from anywhere."""
    if not isinstance(release, PlanRelease):
        raise _check.refuse(
            "a report must be of a release", f"a {type(release).__name__}", "Release a plan first."
        )
    title = f"Release report: {release.facts.dataset or 'tables with privacy'}"
    return f'<!DOCTYPE html>\n<html lang="en">\n{_head(title)}\n{_body(title, release)}\n</html>\n'


def _head(title: str) -> Markup:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="generator", content="leastnoise"),
        element("title", title),
        element("style", STYLE),
    )


def _body(title: str, release: PlanRelease) -> Markup:
    links = [element("li", element("a", name, href=f"#{at}")) for at, name in _CONTENTS.items()]
    main = element(
        "main",
        element("h1", title),
        _summary(release),
        element("nav", element("ul", *links), aria_label="Contents"),
        asked_section(release),
        promise_section(release),
        limits_section(release),
        tables_section(release),
        methods_section(release),
        ledger_section(release),
        checking_section(release),
        id="main",
    )
    skip = element("a", "Skip to the report", href="#main", class_="skip")
    return element("body", skip, joined(("\n", main, "\n")))


def _summary(release: PlanRelease) -> Markup:
    numbers = many(sum(len(table) for table in release.tables), "number")
    return paragraphs(
        f"{numbers} in {many(len(release.tables), 'table')}, released on "
        f"{moment(release.entry.time)} under "
        f"{powers(str(release.guarantee))}. This page says what was asked, who is protected and "
        "how well, what the results are and how accurate, and how all of it can be checked. It "
        "contains nothing but what was released; no raw data."
    )
