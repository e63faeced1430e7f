"""`Plan`: questions about one table, priced together, previewed, and released once."""

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, SupportsIndex

from leastnoise import _check, _show
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._display import visible
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.ledger import Ledger, refuse_no_ledger
from leastnoise.people import many
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP, checked_guarantee
from leastnoise.randomness.source import Source, checked_source
from leastnoise.release.ask.measured_cut import measured_cut
from leastnoise.release.ask.named_bounds import AUTO, Bound, NamedBounds
from leastnoise.release.ask.publication import publication
from leastnoise.release.ask.schedule import Matters, Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.asking.column_words import (
    answer_measure,
    columns_told,
    question_kind,
    question_words,
)
from leastnoise.release.gate import Admitted
from leastnoise.release.price.advice import advised
from leastnoise.release.price.choice_preview import choice_preview
from leastnoise.release.price.choosing import Choosing
from leastnoise.release.price.needed_budget import Needed, needed_budget
from leastnoise.release.price.plan_bound import plan_certificate, with_bound
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.price.wanted_width import Within, wanted_widths
from leastnoise.release.questionnaire import Questionnaire
from leastnoise.release.questions.bounded_question import without_bounds
from leastnoise.release.questions.question import Question
from leastnoise.release.result.preview import Preview
from leastnoise.release.step.bounds_used import bounds_kept

if TYPE_CHECKING:
    from leastnoise.release.draw.reading import Progress
    from leastnoise.release.result.plan_release import PlanRelease
    from leastnoise.release.result.release_facts import ReleaseFacts
    from leastnoise.release.scheduled_plan import ScheduledPlan
    from leastnoise.release.stored_answers import StoredAnswers

_LONGEST = 40  # letters of the data's name in a short text


@dataclass(frozen=True, repr=False)
class Plan(Questionnaire):
    """A list of questions about a table; each method that asks returns a longer plan.

    Nothing is read or spent until `release`. Make one with `plan`. Most questions take these, each
    by its name; what else they take they say themselves:

    - `column`, `other`: the column asked about, by name, or an expression such as
      `col("a") / col("b")`.
    - `lower`, `upper`, `other_lower`, `other_upper`: the range of its values, known beforehand;
      what lies beyond is cut to it.
    - `by`: the columns or expressions that make groups; none for one answer.
    - `keys`: the groups there can be, public; without them groups are chosen privately.
    - `at_least`: of private groups, show none with fewer units.
    - `where`: a condition, as `col("age") >= 18`; other rows do not count.
    - `max_groups`, `max_rows`: bounds of this question, in place of the plan's.
    - `parts`: into how many equal parts the range is cut.
    - `importance`: how much an error matters beside those of other questions.
    - `expected`, `expected_answer`: about how many rows a group has and what the answer is; for
      the forecast alone.
    - `name`: what the answer is called.

    Example:
        >>> import leastnoise as ln
        >>> import pyarrow as pa
        >>> table = ln.read(pa.table({"age": [41, 70], "city": ["Oslo", "Bergen"]}), unit=None)
        >>> asked = ln.plan(table).count(by="city", keys=["Oslo", "Bergen"], name="people")
        >>> asked.mean("age", lower=0, upper=110, where=ln.col("city") == "Oslo", name="age")
        <Plan: 2 questions>
    """

    _repr_html_ = _show.html

    def __repr__(self) -> str:
        name = f" {visible(self.table.dataset)[:_LONGEST]}" if self.table.dataset else ""
        return f"<Plan{name}: {many(len(self.questions), 'question')}>"

    def preview(self, budget: Guarantee) -> Preview:
        """The error of every answer, before any data is read or budget spent.

        The budget is divided for the least sum of errors, each weighed by its question's
        importance and measured in rows: an error of 500 in a sum of values up to 500 counts as
        much as an error of 1 in a count.

        If bounds are to be chosen, what that costs is told, and the errors for a few bounds.

        Args:
            budget: what the release would spend.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> table = ln.read(pa.table({"age": [41, 70]}), unit=None)
            >>> told = ln.plan(table).count(name="people").preview(ln.PureDP(epsilon=1))
            >>> told[0].question, told[0].interval  # 95 of 100 answers are within this
            ('people', Fraction(3, 1))
        """
        _ = self.admitted(budget)  # what could not be released is not promised either
        choosing = self._choosing(budget)
        told = (
            advised(self._priced(budget), budget) if choosing is None else choice_preview(choosing)
        )
        return told.telling(columns_told(self.questions, self.bounded))

    def every(  # noqa: PLR0913 - each is a part of the promise
        self,
        every: str,
        *,
        start: date | str,
        steps: SupportsIndex,
        contributes: SupportsIndex = 1,
        column: str,
        apart: SupportsIndex = 1,
        matters: Matters = "worst",
    ) -> "ScheduledPlan":
        """Publish the answers again and again: running totals, one step after another.

        All steps are charged once, when the schedule is begun. A unit's bounds hold in each step.

        Args:
            every: "day", "week" (seven days from the start on), "month", "quarter" or "year".
            start: the first day of the first step, such as "2026-01-01".
            steps: how many there are.
            contributes: in how many steps one unit counts: the first ones it has rows in. The
                fewer, the less noise.
            column: which column holds the rows' own dates.
            apart: at least how many steps after one of them the next may be.
            matters: which errors are made small: "worst" for the largest one of a running total,
                "mean square" for all of them, "last" for the last one above all; or weights, such
                as {"day": 1, "week": 1, 30: 1, "to date": 1}, with 30 for windows of 30 steps.

        Raises:
            InvalidParameter: there is no such schedule, or no such column of dates.
        """
        # Loaded here: most plans have no schedule, and its mathematics takes time to load.
        from leastnoise.release.over_time.scheduled import refuse_undated  # noqa: PLC0415
        from leastnoise.release.scheduled_plan import ScheduledPlan  # noqa: PLC0415

        made = Schedule(
            every,
            start=start,
            steps=steps,
            contributes=contributes,
            column=column,
            apart=apart,
            matters=matters,
        )
        refuse_undated(made, self.table)
        return ScheduledPlan(self.table, self.bounds, self.questions, self.expected, schedule=made)

    def published(  # noqa: PLR0913 - each is a part of the page
        self,
        *,
        title: str = "",
        description: str = "",
        publisher: str = "",
        licence: str = "",
        cite_as: str = "",
        region: str = "",
        intended_use: str = "",
        headline: Sequence[str] | Mapping[str, str] = (),
        sections: Mapping[str, Sequence[str]] | None = None,
        texts: Mapping[str, str] | None = None,
        unit_name: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> "Plan":
        """The same plan, with words for its report and for catalogues; no number changes by them.

        Args:
            title: of the release; the name of the data if left out.
            description: what it is, in a sentence or two.
            publisher: who answers for it.
            licence: under which it may be used, such as "CC BY 4.0".
            cite_as: how to cite it; made from the others if left out.
            region: what region the data are about.
            intended_use: what the numbers are for.
            headline: the questions whose answers are shown first, or for each the words below it.
            sections: headings for many questions, each with the names of its questions.
            texts: by the names of questions, a text of its own for each.
            unit_name: what readers call a unit, such as "patient"; by default from its column.
            labels: by the names of columns, what readers call them.

        Raises:
            InvalidParameter: not texts, or of a question that the plan does not ask.
        """
        said = publication(
            title=title,
            description=description,
            publisher=publisher,
            licence=licence,
            cite_as=cite_as,
            region=region,
            intended_use=intended_use,
            headline=headline,
            sections=sections,
            texts=texts,
            unit_name=unit_name,
            labels=labels,
        )
        asked = [question.name for question in self.questions]
        for name in said.questions:
            if name not in asked:
                raise _check.refuse(
                    "words must be about a question of the plan",
                    _check.shown(name),
                    f"One of: {', '.join(map(_check.shown, asked))}.",
                )
        return replace(self, publication=said)

    def needed(self, within: Within, *, delta: Exact = 0) -> PureDP | ApproxDP:
        """The least budget, to three digits, that makes answers as precise as this.

        It warns if such a budget promises next to nothing; `needed_with_notes` says in words what
        was assumed.

        Args:
            within: for some questions, by name, how far off 95 % of their answers may be, in the
                answer's own unit (of quantiles: in ranks), or as a percentage such as "2%" of what
                is expected; or one width for all questions.
            delta: of the budget.

        Raises:
            InvalidParameter: an unknown question, a width that is not positive, or one that needs
                `expected` or `expected_answer`.
            UnsupportedQuery: no ε up to 10^6 is enough.

        Example:
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> table = ln.read(pa.table({"age": [41, 70]}), unit=None)
            >>> ln.plan(table).count(name="people").needed({"people": 10})
            PureDP(epsilon='0.285')
        """
        found = self.needed_with_notes(within, delta=delta)
        for words in found.warnings:
            warnings.warn(words, stacklevel=2)
        return found.budget

    def needed_with_notes(self, within: Within, *, delta: Exact = 0) -> Needed:
        """The same, with what was assumed, and what such a budget is worth if that is little."""
        if self.has_open_bounds:
            raise _check.refuse(
                "bounds must be numbers where a budget is sought",
                "'auto'",
                "Give them: errors depend on what would be chosen.",
            )
        wanted = wanted_widths(within, [each.name for each in self.questions])
        return needed_budget(self._priced, wanted, _check.delta(delta))

    def admitted(self, budget: Guarantee) -> Admitted:
        """What a release would draw, priced and found to keep the budget; nothing is spent.

        If bounds are to be chosen, what would be drawn for that, with the right to the rest.
        """
        return self._admitting(checked_guarantee(budget, "budget"))

    def _priced(self, budget: Guarantee) -> PricedPlan:
        return self._pricing(checked_guarantee(budget, "budget"))

    @cached_property
    def _pricing(self) -> Callable[[Guarantee], PricedPlan]:
        """The last is kept: preview, confirmation and release ask for the same several times."""
        return lru_cache(maxsize=1)(lambda budget: self._priced_as(self.questions, budget))

    @cached_property
    def _dividing(self) -> Callable[[Guarantee], Choosing | None]:
        """The last is kept, likewise."""
        return lru_cache(maxsize=1)(
            lambda budget: Choosing.of(self._priced(budget), self.bounds, self._priced_as, budget)
        )

    @cached_property
    def _admitting(self) -> Callable[[Guarantee], Admitted]:
        """The last is kept, likewise."""
        return lru_cache(maxsize=1)(
            lambda budget: (self._choosing(budget) or self._priced(budget)).admitted(budget)
        )

    def __getstate__(self) -> dict[str, object]:
        """What another process is sent: the plan, without prices that are kept beside it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def choosing_all(self, budget: Guarantee, spend: PureDP | ZCDP) -> Choosing | None:
        """What would be drawn to choose all bounds, those included that the plan names."""
        if self.table.unit is None:
            return None
        free = replace(
            self,
            bounds=NamedBounds(max_groups=AUTO, max_rows=AUTO),
            questions=tuple(map(without_bounds, self.questions)),
        )
        return Choosing.apart(free._priced(budget), free.bounds, free._priced_as, spend)

    def _priced_as(self, questions: Sequence[Question], budget: Guarantee) -> PricedPlan:
        """The questions, perhaps under other bounds."""
        return PricedPlan.of(self.bounded, questions, budget).expecting(dict(self.expected))

    def _choosing(self, budget: Guarantee) -> Choosing | None:
        """The first stage of the release; None if no bound has to be chosen."""
        return self._dividing(checked_guarantee(budget, "budget"))

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything public about the plan."""
        parts = ((each.name, getattr(self, each.name)) for each in fields(self) if each.repr)
        told = ", ".join(f"{name}={value!r}" for name, value in parts)
        return hashlib.sha256(f"Plan({told})".encode()).hexdigest()

    def release(  # noqa: PLR0913 - each is a choice of its own
        self,
        budget: Guarantee,
        *,
        ledger: Ledger,
        labels: Mapping[str, str] | None = None,
        purpose: str = "release of a plan",
        store: bool = False,
        progress: "Progress | None" = None,
        source: Source | None = None,
    ) -> "PlanRelease":
        """Answer all questions under one guarantee.

        The ledger is charged after the totals are known and before any noise is drawn. If the
        program dies in between, the charge stands. If bounds are to be chosen, all of the budget is
        charged before that, and the data are read a second time afterwards.

        Args:
            budget: what to spend.
            ledger: where it is charged.
            labels: whose budgets inside the total it counts against.
            purpose: a note for the ledger.
            store: keep the release in the ledger's file; the same plan with the same budget is
                then served from there again, at no cost and with the same noise. What it is about
                is known by its place: data that have changed where they are get the old answers.
            progress: called with the number of passes over the data that are done, and of all. If
                it has a method `reading`, that is called with the questions' names before each.
            source: randomness; the operating system's if none is given.

        Raises:
            InvalidParameter: a release of a table in memory is to be stored.
            BudgetExceeded: the ledger has less left; nothing was charged or drawn.
            LedgerError: the ledger is about other data, another unit or other neighbours, or cannot
                be trusted; nothing was charged or drawn.
            BackendError: the engine failed; nothing was charged or drawn, unless it failed after
                bounds were chosen, which the message says.

        Example:
            >>> import tempfile
            >>> import leastnoise as ln
            >>> import pyarrow as pa
            >>> rows = pa.table({"age": [41, 70] * 1000})
            >>> table = ln.read(rows, unit=None, dataset="people")
            >>> place = f"{tempfile.mkdtemp()}/budget.db"
            >>> ledger = ln.Ledger(place, total=ln.PureDP(epsilon=3), dataset="people", begin=True)
            >>> asked = ln.plan(table).count(name="people")
            >>> made = asked.release(ln.PureDP(epsilon=1), ledger=ledger)
            >>> print(made["people"])  # your numbers will differ
            people
            value  95 % interval  grade
            2,001  1,998 – 2,004  A
            >>> ledger.remaining
            PureDP(epsilon=2)
        """
        # Loaded here: a preview does without. Before the charge: what is missing shows now.
        from leastnoise.release.draw.answered import (  # noqa: PLC0415
            answered,
            make_answers_ready,
            measured,
            step_names,
        )
        from leastnoise.release.draw.drawn import drawn, make_ready  # noqa: PLC0415
        from leastnoise.release.result.plan_release import PlanRelease  # noqa: PLC0415 - only a release needs it
        from leastnoise.release.second_stage import second_stage  # noqa: PLC0415

        refuse_no_ledger(ledger)
        about = self.table.scope
        ledger.about.refuse_other(about)
        choosing = self._choosing(budget)
        priced = self._priced(budget) if choosing is None else choosing.priced
        stored = self._answers(budget, ledger) if store else None
        found = None if stored is None else stored.found()
        if found is not None:
            return found
        admitted, name = self.admitted(budget), stored.name if stored else ""
        ledger.require(admitted.costs, labels=labels, answers=name, **about.said)
        # Whatever public facts make impossible shows here: before the charge, and before the data.
        proof = plan_certificate(priced, budget) if choosing is None else None
        facts = self._facts(priced, proof)
        secret_source = checked_source(source)
        secrets = measured(admitted, secret_source, progress, step_names(priced))
        make_ready(admitted.steps)
        make_answers_ready(priced)
        paid = admitted.charge(
            ledger, purpose=purpose, labels=labels, digest=self.digest, answers=name
        )
        shown = drawn(paid, secrets, secret_source)
        if choosing is not None:
            second = second_stage(choosing, paid, shown, secret_source, progress)
            priced, shown = second.priced, second.shown
            facts = replace(self._facts(priced, None), chosen=second.chosen)
        made = PlanRelease(
            tables=tuple(answered(priced, shown)),
            guarantee=budget,
            entry=paid.entry,
            digest=self.digest,
            facts=facts,
            left=ledger.remaining,
            certificate=proof,
        )
        # Of answers that are stored, nobody may see others than those under their name.
        return made if stored is None else stored.first(made)

    def stored(self, budget: Guarantee, *, ledger: Ledger) -> "PlanRelease | None":
        """The release that `release` with store=True would serve again; None: it would charge.

        Raises:
            LedgerError: the ledger is about other data, another unit or other neighbours.
        """
        return self._answers(budget, ledger).found()

    def owed(
        self, budget: Guarantee, *, ledger: Ledger, labels: Mapping[str, str] | None = None
    ) -> Entry | None:
        """A charge for answers that were to be stored and are not: `release` makes no other.

        Raises:
            BudgetExceeded: there is none, and more would be charged than is left.
            LedgerError: the ledger is about other data, another unit or other neighbours.
        """
        return self._answers(budget, ledger).owed(self.admitted(budget).costs, labels)

    def _answers(self, budget: Guarantee, ledger: Ledger) -> "StoredAnswers":
        from leastnoise.release.stored_answers import StoredAnswers, stored_name  # noqa: PLC0415 - only a release needs it

        name = stored_name(self.digest, self.table, budget)
        return StoredAnswers(ledger, self.table, name, self.publication)

    def _facts(self, priced: PricedPlan, proof: PlanCertificate | None) -> "ReleaseFacts":
        from leastnoise.release.result.release_facts import QuestionFacts, ReleaseFacts  # noqa: PLC0415 - only a release needs it
        from leastnoise.version import __version__  # noqa: PLC0415 - only a release needs it

        told = with_bound(priced.forecasts(), priced, proof)
        pairs, bounds = zip(priced.questions, told, strict=True), self.bounds.numbers
        return ReleaseFacts(
            dataset=self.table.dataset,
            unit=self.table.whose,
            neighbours=self.table.neighbours.name.lower(),
            max_groups=bounds["max_groups"],
            max_rows=bounds["max_rows"],
            questions=tuple(
                QuestionFacts(
                    question_words(question, self.bounded),
                    told,
                    kind=question_kind(question),
                    measure=answer_measure(question, self.bounded),
                    **self._bounds_of(question),
                )
                for question, told in pairs
            ),
            version=__version__,
            publication=self.publication,
        )

    def _bounds_of(self, question: Question) -> dict[str, int]:
        """The bounds that have an effect on a question's answers, by name."""
        if self.table.unit is None:
            return {}
        asked = map(bounds_kept, question.measurements(self.bounded))
        return {name: value for each in asked for name, value in each.items()}


def plan(
    table: Table,
    *,
    max_groups: Bound = None,
    max_rows: Bound = None,
    most_rows: SupportsIndex | None = None,
    measure_cut: bool | Exact = True,
) -> Plan:
    """An empty plan for a table.

    Where units may have several rows, both bounds must be given for questions on which they have
    an effect; no number is assumed. Where every row is a unit of its own they have none.

    Args:
        table: made by `read`.
        max_groups: how many groups of one unit count in each question; 'auto' to have it chosen
            from the data, by a part of the budget.
        max_rows: how many rows of one unit count in each group, likewise.
        most_rows: no unit has more rows than this, as far as you know: intervals rely on it,
            privacy does not. None if nothing is known.
        measure_cut: whether a small part of the budget measures what the bounds leave out (2.9 % of
            ε, 5 % of ρ), or which part.

    Example:
        >>> import leastnoise as ln
        >>> import pandas as pd
        >>> visits = pd.DataFrame({"patient": [1, 1, 2], "cost": [80.0, 120.0, 40.0]})
        >>> asked = plan(ln.read(visits, unit="patient"), max_groups=1, max_rows=20, most_rows=20)
        >>> asked = asked.count_units(name="patients").sum("cost", lower=0, upper=600)
        >>> print(asked.preview(ln.PureDP(epsilon=1))[0].interval)  # 95 % are within
        4
    """
    cut = measured_cut(most_rows, measure_cut)
    return Plan(table, NamedBounds(max_groups=max_groups, max_rows=max_rows), cut=cut)
