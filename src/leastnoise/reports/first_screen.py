"""What a reader sees first: headline numbers, how reliable all are, the promise, who publishes."""

import math
from collections.abc import Sequence
from fractions import Fraction

from leastnoise.people import GRADES, many, said_count
from leastnoise.pictures.names import capital
from leastnoise.planning.attack_risk import attack_risk
from leastnoise.privacy.spoken import said
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.markup import Markup, element, joined, text
from leastnoise.reports.numbers import day, iso_day
from leastnoise.reports.question import chip
from leastnoise.reports.view import QuestionView, counted_grades, cut_words

_HEADLINES = 3
_DOTS = 20  # in a row
_MEANINGS = {"A": "within 5 %", "B": "within 15 %", "C": "within 25 %", "D": ""}
_NARROW = 10.0  # percent of the bar: less has no room for a letter and a number on a phone


def title_of(release: PlanRelease) -> str:
    """The title: the author's, else the name of the data."""
    said_title = release.facts.publication.title
    return said_title or f"Release report: {release.facts.dataset or 'tables with privacy'}"


def first_screen(release: PlanRelease, views: Sequence[QuestionView]) -> Markup:
    """The part of the page above the contents."""
    return joined(
        (
            element("h1", title_of(release), itemprop="name"),
            element("p", _lede(release, views), class_="lede", itemprop="description"),
            element(
                "div",
                element("div", _headlines(release, views), _grades(views), _warning(views)),
                _promise(release),
                class_="first",
            ),
            _publication(release),
        )
    )


def _lede(release: PlanRelease, views: Sequence[QuestionView]) -> str:
    said_by_author = release.facts.publication.description
    numbers = many(sum(len(view.table) for view in views), "number")
    counted = (
        f"{numbers} in {many(len(views), 'table')}, published so that nobody can be sure about any "
        f"single {release.facts.person}."
    )
    return f"{said_by_author.rstrip('.')}. {counted}" if said_by_author else counted


def _headlines(release: PlanRelease, views: Sequence[QuestionView]) -> Markup:
    cards = [_card(view, words) for view, words in _chosen(release, views)]
    return element("div", *cards, class_="cards") if cards else Markup("")


def _chosen(release: PlanRelease, views: Sequence[QuestionView]) -> list[tuple[QuestionView, str]]:
    """The author's headlines, else the first single numbers."""
    by_name = {view.table.name: view for view in views if len(view.table)}
    named = release.facts.publication.headline
    if named:
        return [(by_name[name], words) for name, words in named if name in by_name][:_HEADLINES]
    return [(view, "") for view in views if len(view.table) == 1][:_HEADLINES]


def _card(view: QuestionView, words: str) -> Markup:
    """One answer of a question: the median of quantiles, else the first."""
    place = 0
    if view.kind == "ColumnQuantiles":
        levels = [row[-1] for row in view.table.rows]
        place = levels.index(0.5) if 0.5 in levels else 0
    row = view.rows(place + 1)[place]
    label = words or " · ".join([view.table.name, *row.key])
    unit = f" {view.measure}" if view.measure else ""
    return element(
        "div",
        element("p", f"{row.value}{unit}", class_="figure"),
        element("p", element("a", label, href=f"#{view.id}"), class_="what"),
        element("p", Markup(chip(row.grade)), f" {_in_words(row.interval)}", class_="ends"),
        class_="card",
    )


def _in_words(interval: str) -> str:
    return interval.replace(" – ", " to ")


def _grades(views: Sequence[QuestionView]) -> Markup:
    """All numbers by grade, as one bar and in words."""
    counts = counted_grades(views)
    total = sum(counts.values())
    if not total:
        return Markup("")
    parts, at = [], 0.0
    for grade, count in counts.items():
        width = 100 * count / total
        parts.append(
            f'<rect class="grade {grade}" x="{at:.4g}%" y="1" width="{width:.4g}%" height="30">'
            "</rect>"
        )
        if width >= _NARROW:
            parts.append(
                f'<text class="grade {grade}" x="{at:.4g}%" dx="8" y="21">{grade} '
                f"{said_count(count)}</text>"
            )
        at += width
    told = ", ".join(f"{said_count(n)} {GRADES[grade]}" for grade, n in counts.items())
    bar = Markup(
        f'<svg class="gradebar" width="100%" height="32" role="img" aria-label="{text(told)}">'
        f"{''.join(parts)}</svg>"
    )
    legend = [
        Markup(f"<span>{chip(grade)} {text(_meaning(grade, count))}</span>")
        for grade, count in counts.items()
    ]
    return element(
        "div",
        element("p", f"How reliable the {many(total, 'number')} are", class_="overline"),
        bar,
        element("p", joined(legend), class_="legend"),
        class_="reliability",
    )


def _meaning(grade: str, count: int) -> str:
    within = f", {_MEANINGS[grade]}" if _MEANINGS[grade] else ""
    return f"{GRADES[grade]}{within}: {said_count(count)}"


def _warning(views: Sequence[QuestionView]) -> Markup:
    """The worst that is to be known of the tables, with a link to each."""
    cut = [view for view in views if view.is_cut_more_than_noise]
    if cut:
        return _note(capital(cut_words(cut)), cut)
    poor = [view for view in views if view.grade_counts.get("D")]
    if not poor:
        return Markup("")
    count = sum(view.grade_counts["D"] for view in poor)
    head = f"{many(count, 'number')} {'is' if count == 1 else 'are'} too noisy to rely on"
    return _note(head, poor)


def _note(head: str, views: Sequence[QuestionView]) -> Markup:
    links = [element("a", view.table.name, href=f"#{view.id}") for view in views[:_HEADLINES]]
    parts = [part for link in links for part in (Markup(", "), link)][1:]
    more = f" and {len(views) - _HEADLINES} more" if len(views) > _HEADLINES else ""
    return element("p", element("strong", f"{head}:"), " ", *parts, f"{more}.", class_="note")


def best_guess(release: PlanRelease) -> int:
    """Of 100 guesses by the best attacker so many are right, at most."""
    risk = attack_risk(release.guarantee)
    return min(100, math.ceil(100 * Fraction(risk.right().upper)))


def _promise(release: PlanRelease) -> Markup:
    who, right = release.facts.person, best_guess(release)
    if release.facts.neighbours == Neighbours.REPLACE.name.lower():
        ask = f"Are the data of a certain {who} of one kind or of another?"
    else:
        ask = f"Is a certain {who} in these data?"
    all_rows = (
        "Each row is protected by itself"
        if release.facts.unit is None
        else f"All rows of one {who} are protected together"
    )
    legend = [
        '<span><i class="dot chance"></i> right by chance: 50</span>',
        f'<span><i class="dot more"></i> because of this report: at most {right - 50}</span>',
        f'<span><i class="dot"></i> wrong: {100 - right} or more</span>',
    ]
    return element(
        "aside",
        element("h2", f"The promise to every {who}"),
        element(
            "p",
            f"{ask} Without this report, a guess is right 50 times in 100. With it, even the best "
            f"guess is right at most {right} times.",
        ),
        _dots(right),
        element("p", Markup("".join(legend)), class_="legend"),
        element(
            "p",
            f"{all_rows}, whatever the reader knows already. {said(release.guarantee)}. ",
            element("a", "What this means", href="#promise"),
            class_="small",
        ),
        class_="promise",
    )


def _dots(right: int) -> Markup:
    """A hundred guesses."""
    parts = []
    for n in range(100):
        look = "chance" if n < 50 else "more" if n < right else "wrong"
        row, column = divmod(n, _DOTS)
        x = 100 * (column + 0.5) / _DOTS
        parts.append(f'<circle class="{look}" cx="{x:g}%" cy="{8 + 15 * row}" r="5.5"></circle>')
    label = f"Of 100 guesses 50 are right by chance, and at most {right} with this report."
    return Markup(
        f'<svg class="dots" width="100%" height="76" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def cite_as(release: PlanRelease) -> str:
    """How to cite it: as the author says, else made from what is known."""
    words = release.facts.publication
    if words.cite_as:
        return words.cite_as
    year = iso_day(release.entry.time)[:4] or "no date"
    who = f"{words.publisher} ({year}): " if words.publisher else ""
    when = "" if words.publisher else f" ({year})"
    return f"{who}{title_of(release)}{when}. Release {release.entry.number}."


def _publication(release: PlanRelease) -> Markup:
    words = release.facts.publication
    when = release.entry.time
    date = element("time", day(when), itemprop="datePublished", datetime=iso_day(when))
    known = {
        "Published": date,
        "Publisher": element("span", words.publisher, itemprop="creator")
        if words.publisher
        else "",
        "Licence": element("span", words.licence, itemprop="license") if words.licence else "",
        "Cite as": element("span", cite_as(release), itemprop="citation"),
    }
    return element(
        "dl",
        *(
            element("div", element("dt", name), element("dd", value))
            for name, value in known.items()
            if value
        ),
        class_="published",
    )
