"""One question: its text, its chart, its table, and how far it can be trusted."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from leastnoise.people import (
    GRADES,
    said_count,
    said_error,
    said_interval,
    said_share,
    said_share_range,
)
from leastnoise.people.persons import called_throughout
from leastnoise.pictures.names import capital
from leastnoise.reports.chart_of import chart_of
from leastnoise.reports.markup import Markup, element, items, joined, scrolled, text
from leastnoise.reports.view import QuestionView, ShownAnswer, cut_words

MOST_ROWS = 1000
"""Longer tables are cut: nobody reads them on a page."""
_FOLDED_FROM, _FIRST = 14, 10  # rows: of more than fit beside a chart, so many stand there
_FEW = 20  # rows that are kept on one printed page

Files = Mapping[str, str]
"""The files of a table beside the page, by their form."""


def question_section(view: QuestionView, files: Files) -> Markup:
    """All of one question."""
    chart = chart_of(view)
    # One number stands in the drawing itself; its table would repeat it.
    alone = len(view.table) == 1 and not view.table.columns and bool(chart)
    wide = alone or not chart or 'class="heated"' in chart
    table = Markup("") if alone else _table(view, folded='class="heated"' in chart)
    look = "body wide" if wide else "body"
    return element(
        "section",
        _heading(view, files),
        element("p", view.text, class_="text") if view.text else Markup(""),
        _note(view),
        element("div", chart, table, class_=look),
        _facts(view),
        _remarks(view),
        class_="question",
        aria_labelledby=view.id,
    )


def _heading(view: QuestionView, files: Files) -> Markup:
    links = [element("a", form.upper(), href=_address(name)) for form, name in files.items()]
    links.append(element("a", "Top", href="#main"))
    parts = [part for link in links for part in (Markup(" · "), link)][1:]
    return element(
        "div",
        element("h3", f"{view.number}. {view.title}", id=view.id),
        element("p", *parts, class_="links"),
        class_="head",
    )


def _address(name: str) -> str:
    """A file beside the page; its name may hold any letter."""
    return "./" + name.replace("%", "%25").replace("#", "%23").replace("?", "%3F")


def chip(grade: str) -> str:
    """A grade as a letter in a box, with its word for those who cannot see it."""
    if not grade:
        return ""
    word = GRADES[grade]
    return (
        f'<span class="chip {grade}" title="grade {grade}: {word}">{grade}'
        f'<span class="hidden"> ({word})</span></span>'
    )


def chips(counts: Mapping[str, int]) -> Markup:
    """Each grade with how many numbers have it."""
    return Markup(" ".join(f"{chip(grade)} {said_count(n)}" for grade, n in counts.items()))


def _table(view: QuestionView, *, folded: bool) -> Markup:
    table = view.table
    if not len(table):
        return element("p", "No group is large enough to be shown.", class_="none")
    shown = view.rows(MOST_ROWS)
    if len({row.flags for row in shown}) == 1:  # it is said of the whole table
        shown = [replace(row, flags="") for row in shown]
    kind = "few" if len(shown) <= _FEW else ""
    cut = Markup("")
    if len(table) > MOST_ROWS:
        words = (
            f"These are the first {said_count(MOST_ROWS)} of {said_count(len(table))} numbers; "
            "all are in the files."
        )
        cut = element("p", words, class_="small")
    if folded:
        summary = f"All {said_count(len(shown))} numbers with intervals and grades"
        return _folded(summary, scrolled(_rows(view, shown), name=view.title), cut)
    if len(shown) <= _FOLDED_FROM:
        return scrolled(_rows(view, shown), name=view.title, kind=kind)
    first, rest = _rows(view, shown[:_FIRST]), _rows(view, shown[_FIRST:], look="rest")
    more = f"{said_count(len(shown) - _FIRST)} more"
    return element(
        "div",
        scrolled(first, name=view.title),
        _folded(more, scrolled(rest, name=f"{view.title}, {more}"), cut),
    )


def _folded(summary: str, *contents: Markup) -> Markup:
    return element("details", element("summary", summary), *contents)


def _rows(view: QuestionView, shown: Sequence[ShownAnswer], look: str = "") -> Markup:
    graded = any(row.grade for row in shown)
    heads = [element("th", name, scope="col") for name in view.key_heads]
    heads += [element("th", name, scope="col", class_="n") for name in (view.head, "95 % interval")]
    heads += [element("th", "Grade", scope="col")] if graded else []
    rows = Markup("".join(_row(row, graded=graded) for row in shown))
    return element(
        "table",
        element("caption", f"{view.title}: numbers with 95 % intervals", class_="hidden"),
        element("thead", element("tr", *heads)),
        element("tbody", rows),
        class_=f"numbers {look}".rstrip(),
    )


def _row(row: ShownAnswer, *, graded: bool) -> str:
    """Written out by hand rather than by `element`: there may be very many."""
    keys = "".join(f'<th scope="row">{text(part)}</th>' for part in row.key)
    grade = f"<td>{chip(row.grade)}</td>" if graded else ""
    note = f"<small>{text(row.flags)}</small>" if row.flags else ""
    ends = f'<td class="n">{row.interval}{note}</td>'
    return f'<tr>{keys}<td class="n">{row.value}</td>{ends}{grade}</tr>\n'


def _note(view: QuestionView) -> Markup:
    """What is to be known first, if the bounds cut more than the noise adds."""
    cut = view.cut
    if cut is None or not view.is_cut_more_than_noise:
        return Markup("")
    head = f"{capital(cut_words([view]))}."
    told = " ".join(_sentence(called_throughout(words, view.unit)) for words in cut.words)
    return element("p", element("strong", head), f" {told}", class_="note")


def _sentence(words: str) -> str:
    """With a large first letter, unless it is a name in code, and a stop."""
    first = words.partition(" ")[0]
    begun = words if "_" in first or "=" in first else capital(words)
    return f"{begun.rstrip('.')}."


def _facts(view: QuestionView) -> Markup:
    facts = [("Noise", Markup(text(noise_words(view)))), ("Kept", _kept(view))]
    if view.grade_counts:
        facts.append(("Reliability", chips(view.grade_counts)))
    return element(
        "dl",
        *(element("div", element("dt", name), element("dd", said)) for name, said in facts),
        class_="facts",
    )


def noise_words(view: QuestionView) -> str:
    """How far off the noise makes answers."""
    short = noise_text(view)
    if view.table.dated:
        return "It is in the intervals."
    if short == "not known":
        return "Its size is not known."
    same = ", the same for every number" if " to " not in short and len(view.table) > 1 else ""
    if view.table.is_band:
        return f"Up to {short.rpartition(' to ')[2]}, for all of the curve in 95 of 100 releases."
    return f"{short} in 95 of 100 releases{same}."


def noise_text(view: QuestionView) -> str:
    """The noise in short: one error, or the least and the greatest."""
    if view.table.dated:
        return "see the intervals"
    half = [each for each in view.half.tolist() if not math.isnan(each)]
    if not half:
        return "not known"
    if view.is_share:
        low, high = (f"±{said_share(end)}" for end in (min(half), max(half)))
    else:
        low, high = (said_error(end, whole=view.whole) for end in (min(half), max(half)))
    unit = f" {view.measure}" if view.measure else ""
    return f"{low}{unit}" if low == high else f"{low} to {high}{unit}"


def kept_text(view: QuestionView) -> str:
    """The share that was kept, in short; nothing if it is not known."""
    if view.cut is None:
        return "not known" if view.is_unmeasured else "100 %"
    if view.cut.kept is None:
        return f"{said_interval(*view.cut.lost, whole=True)} cut"
    return said_share_range(*view.cut.kept)


def _kept(view: QuestionView) -> Markup:
    cut = view.cut
    if cut is None:
        if view.is_unmeasured:
            return Markup("What the limits cut is not measured for this question.")
        return joined((_kept_bar(1.0), "Everything. No limit cuts rows here."))
    if cut.kept is None:
        lost = said_interval(*cut.lost, whole=True, sentence=True)
        return Markup(text(f"Between {lost.replace(' to ', ' and ')} {cut.what} were cut."))
    share = said_share_range(*cut.kept)
    return joined((_kept_bar(cut.kept[0]), f"{share} of {cut.what}."))


def _kept_bar(low: float) -> Markup:
    """What was kept as a bar, what may have been cut hatched."""
    sure = round(100 * min(max(low, 0.0), 1.0), 1)
    parts = f'<rect class="kept" x="0" y="0" width="{sure:g}%" height="8"></rect>'
    if sure < 100:
        rest = f'x="{sure:g}%" y="0" width="{100 - sure:.4g}%" height="8"'
        parts += f'<rect class="hatched" {rest}></rect>'
    return Markup(f'<svg class="keptbar" width="100%" height="8" aria-hidden="true">{parts}</svg>')


def _remarks(view: QuestionView) -> Markup:
    """What else is to be known, each once."""
    told = view.table.below if not view.is_cut_more_than_noise else view.table.notes
    cut = () if view.cut is None else view.cut.words
    said = [_sentence(called_throughout(each, view.unit) if each in cut else each) for each in told]
    if view.facts is not None and view.facts.forecast.shown_from is not None:
        said.insert(
            0,
            "The groups were found in the data. A group is left out at random if few are in it; "
            f"one with {said_count(view.facts.forecast.shown_from)} or more is shown with a "
            "probability of at least 95 %.",
        )
    return element("div", items(*said), class_="remarks") if said else Markup("")
