"""Which values have an output of their own in a notebook; others show their text and picture."""

from decimal import ROUND_CEILING as UP
from decimal import ROUND_FLOOR as DOWN
from decimal import Context, Decimal
from fractions import Fraction
from functools import singledispatch
from math import isfinite

from leastnoise.certificates.certificate import Certificate
from leastnoise.errors import LeastNoiseError
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.ledger.entry import Charge
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.sums import budget_sums, held_words
from leastnoise.people import (
    equation,
    many,
    said_error,
    said_minute,
    said_number,
    said_share,
)
from leastnoise.pictures import by_kind, renderer
from leastnoise.pictures.names import capital, cost_words, plain_name
from leastnoise.pictures.table_words import LENGTHS
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.spoken import said, said_any
from leastnoise.release.plan import Plan
from leastnoise.release.result.forecast import Forecast, shown_ratio
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.preview import Preview
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports.charts.frame import axis_of, line
from leastnoise.reports.markup import Markup
from leastnoise.reports.notebook import grades, panel, rows
from leastnoise.reports.numbers import day
from leastnoise.reports.question import kept_text, noise_text
from leastnoise.reports.view import QuestionView, cut_words

_LAST_LINES = 10  # of a ledger
_COUNTED = 1000  # lines that are told apart into charges and others
_NAMED = 3  # tables in a warning
_DELTAS = ("1e-6", "1e-9")  # at which the ε of a loss is told


@singledispatch
def notebook_html(value: object) -> str:
    """What a notebook shows of a value."""
    return by_kind.notebook_html(value)


def _about(dataset: str) -> str:
    return f" about {dataset}" if dataset else ""


@notebook_html.register
def _plan(asked: Plan) -> str:
    table, bounds = asked.table, asked.bounds.numbers
    whose = "each row is protected" if table.whose is None else f"protects each {table.whose}"
    limits = [f"{name} = {value}" for name, value in bounds.items() if value is not None]
    lines = [
        (str(number), question.name, question.words())
        for number, question in enumerate(asked.questions, 1)
    ]
    return panel(
        f"Plan: {many(len(lines), 'question')}{_about(table.dataset)}",
        [whose, *limits],
        rows(("", "Question", "What it asks"), lines, right=[0]),
        below=["plan.preview(budget) tells the errors; nothing is read or spent by it."],
    )


@notebook_html.register
def _preview(told: Preview) -> str:
    lines = [(each.question, _answers(each), _noise(each), said_share(each.share)) for each in told]
    lines += [(each.name, "", "", said_share(each.share)) for each in told.keys]
    lines += [(each.name, "", "", said_share(each.share)) for each in told.cuts]
    advice = [f"{each.question}: {hint}." for each in told for hint in each.advice][:3]
    return panel(
        f"Preview: {many(len(told), 'question')}",
        ["nothing read, nothing spent"],
        rows(("Question", "Answers", "Noise, 95 %", "Budget"), lines, right=[1, 2, 3]),
        below=advice,
    )


def _answers(each: Forecast) -> str:
    return "those found" if each.answers is None else f"{each.answers:,}"


def _noise(each: Forecast) -> str:
    if each.interval is None:
        return each.interval_words
    of = "" if each.of == "answer" else f" ({each.of})"
    return f"{said_error(each.interval, whole=each.interval.denominator == 1)}{of}"


@notebook_html.register
def _release(made: PlanRelease) -> str:
    views = [QuestionView(table, n, made) for n, table in enumerate(made.tables, 1)]
    lines = [(view.table.name, _answer(view), grades(view.grades)) for view in views]
    cut = [view for view in views if view.is_cut_more_than_noise]
    facts = made.facts
    return panel(
        f"Release: {many(len(views), 'table')}{_about(facts.dataset)}",
        [day(made.entry.time), said(made.guarantee), f"line {made.entry.number} of the ledger",
         f"{said(made.left)} left"],
        rows(("Table", "Answer", "Grade"), lines),
        warnings=[f"{_some(cut)}: {cut_words(cut)}"] if cut else [],
        below=['release["name"] shows one table, release.report("report.html") writes the report.'],
    )  # fmt: skip


def _some(views: list[QuestionView]) -> str:
    names = ", ".join(view.table.name for view in views[:_NAMED])
    return f"{names} and {len(views) - _NAMED} more" if len(views) > _NAMED else names


def _answer(view: QuestionView) -> str:
    """One number with its noise, a few, or how many and from where to where."""
    values = [row.value for row in view.rows(len(view.table))]
    unit = f" {view.measure}" if view.measure else ""
    if len(values) == 1:
        return (
            values[0] if view.table.dated else f"{values[0]} {noise_text(view).replace('±', '± ')}"
        )
    if len(values) <= 3:
        return f"{', '.join(values)}{unit}"
    order = view.table.values.argsort(kind="stable").tolist()
    return f"{len(values):,} numbers, {values[order[0]]} to {values[order[-1]]}{unit}"


@notebook_html.register
def _table(table: ReleasedTable) -> str:
    view = QuestionView(table, 1, None)
    bars = _bars(view)
    lines = [
        (*row.key, row.value, bar, row.interval, grades([row.grade]))
        for row, bar in zip(view.rows(len(table)), bars, strict=True)
    ]
    heads = (*view.key_heads, view.head, "", "95 % interval", "Grade")
    count = len(view.key_heads)
    kept = f"kept {kept_text(view)}" if view.cut is not None else ""
    return panel(
        capital(table.name),
        [f"noise {noise_text(view)}", kept],
        rows(heads, lines, right=[count, count + 2]),
        warnings=[cut_words([view])] * view.is_cut_more_than_noise,
        below=table.below[:4],
    )


def _bars(view: QuestionView) -> list[str]:
    """A small bar for each answer, if they are lengths: noise dark, cut orange."""
    table = view.table
    ends = [*table.values.tolist(), *table.lower.tolist(), *table.upper.tolist()]
    if view.kind not in LENGTHS or table.dated or not table.columns:
        return [""] * len(table)
    axis = axis_of(ends, zero=True)
    found = []
    for value, half, low, high in zip(
        table.values.tolist(), view.half.tolist(), table.lower.tolist(), table.upper.tolist(),
        strict=True,
    ):  # fmt: skip
        if not all(map(isfinite, (value, half, low, high))):
            found.append("")
            continue
        begin, end = sorted((axis.at(0), axis.at(value)))
        noise = max(low, value - half), min(high, value + half)
        parts = [
            f'<rect class="bar" x="{begin:g}%" y="2" width="{end - begin:.4g}%" height="10">'
            "</rect>",
            *(
                [line(f"{axis.at(low):g}%", f"{axis.at(high):g}%", 7, 7, "cut")]
                if view.cut is not None
                else []
            ),
            line(f"{axis.at(noise[0]):g}%", f"{axis.at(noise[1]):g}%", 7, 7, "noise"),
        ]
        found.append(Markup(f'<svg class="bars" aria-hidden="true">{"".join(parts)}</svg>'))
    return found


@notebook_html.register
def _ledger(ledger: Ledger) -> str:
    number = ledger.number
    latest = ledger.history(after=max(0, number - _COUNTED))
    entries = [entry for entry in latest if isinstance(entry.event, Charge)]
    lines = [
        (
            str(entry.number),
            said_minute(entry.time),
            entry.event.purpose,
            said_any(entry.event.costs),
        )
        for entry in entries[-_LAST_LINES:]
        if isinstance(entry.event, Charge)
    ]
    sums = []
    for balance in ledger.balances:
        whose = "" if balance.name == "total" else f"{balance.name}: "
        sums += [f"{whose}{each.letter}: {each.words()}" for each in budget_sums(balance)]
        sums += held_words(balance)
    earlier = max(number - _COUNTED, 0) + len(entries) - len(lines)
    return panel(
        f"Budget of {ledger.dataset}" if ledger.dataset else "Budget",
        [
            many(number, "line") if number > _COUNTED else many(len(entries), "charge"),
            f"{many(earlier, 'earlier one')} not shown" if earlier else "",
        ],
        rows(("Line", "Time, UTC", "Purpose", "Price"), lines, right=[0]) if lines else "",
        below=sums,
    )


@notebook_html.register
def _loss(loss: PrivacyLoss) -> str:
    found = []
    for delta in _DELTAS:
        level = loss.epsilon(delta)
        if isfinite(level.upper):
            found.append((said_number(Fraction(delta)), f"ε ≤ {_rounded(level.upper, UP)}"))
    return panel(
        "Privacy loss",
        ["two directions" if loss.backward is not None else "the same in both directions"],
        rows(("δ", "Promise"), found) if found else "",
    ) + _drawn(loss)


@notebook_html.register
def _certificate(proof: Certificate) -> str:
    problem = proof.problem
    lines = [
        ("Promise", f"{equation('ε', problem.epsilon)}, {equation('δ', problem.delta)}"),
        ("Sensitivity", said_number(problem.sensitivity * problem.step)),
        (capital(cost_words(problem.cost)), _rounded(proof.achieved, UP)),
        ("No noise has less than", _rounded(proof.bound, DOWN)),
        (
            "Times the least",
            shown_ratio(proof.ratio) if not isinstance(proof.ratio, float) else "∞",
        ),
        ("Among", str(proof.scope)),
    ]
    return panel(
        "Certificate of least noise",
        [],
        rows(("", ""), lines),
        below=["certificate.check() computes every claim anew; to_json() is the text to publish."],
    )


@notebook_html.register
def _optimal(noise: OptimalNoise) -> str:
    best = float(noise.mechanism.expected_cost())
    lines = [(f"{capital(plain_name(noise.law))} (chosen)", said_number(best, 4), "1")]
    for rival in noise.alternatives():
        lines.append((capital(plain_name(rival.law)), said_number(float(rival.cost), 4),
                      said_number(rival.ratio)))  # fmt: skip
    return panel(
        f"Least noise for {said(noise.guarantee)}",
        [f"sensitivity {said_number(noise.problem.sensitivity * noise.problem.step)}", noise.why],
        rows(
            ("Noise", capital(cost_words(noise.problem.cost)), "Times the chosen"),
            lines,
            right=[1, 2],
        ),
    ) + _drawn(noise)


def _rounded(number: Fraction | float, rule: str) -> str:
    """Four digits, rounded to the safe side."""
    exact = Fraction(number)
    near = Context(prec=4, rounding=rule).divide(
        Decimal(exact.numerator), Decimal(exact.denominator)
    )
    return said_number(Fraction(near), 4)


def _drawn(value: object) -> str:
    """Its picture, where one can be drawn."""
    if not renderer.is_installed():
        return ""
    try:
        return by_kind.picture_of(value)._repr_html_()
    except LeastNoiseError:  # a law without a pmf to draw: the table remains
        return ""
