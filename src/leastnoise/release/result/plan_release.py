"""`PlanRelease`: everything that left the building, and what it cost."""

from dataclasses import replace
from pathlib import Path
from typing import overload

from leastnoise import _check, _show
from leastnoise._dataclass import dataclass
from leastnoise._display import visible, wrapped
from leastnoise.certificates.plan_certificate import PlanCertificate
from leastnoise.ledger.entry import Entry
from leastnoise.people import many
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.privacy.spoken import said
from leastnoise.release.ask.tuple_field import changed
from leastnoise.release.result.consistent_totals import consistent
from leastnoise.release.result.flag import Flag, remarks
from leastnoise.release.result.new_file import write_new_file
from leastnoise.release.result.release_facts import ReleaseFacts
from leastnoise.release.result.release_text import release_from_text, release_pieces
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.workbook import workbook

_LONGEST = 20  # letters of the data's name in a short text


@dataclass(frozen=True, eq=False, repr=False)
class PlanRelease:
    """The answers to a plan; all of it is public.

    Attributes:
        tables: one per question.
        guarantee: the promise for all of them together.
        entry: the ledger's line.
        digest: the plan's fingerprint.
        facts: what was asked, of whom, and what was promised.
        left: what the ledger had left after it.
        certificate: how near to the least the noise of all of them is; None if nothing is proved.
    """

    tables: tuple[ReleasedTable, ...]
    guarantee: Guarantee
    entry: Entry
    digest: str
    facts: ReleaseFacts
    left: Guarantee
    certificate: PlanCertificate | None = None

    def __post_init__(self) -> None:
        told = {each.forecast.question: each for each in self.facts.questions}
        known = [(table, told.get(table.name)) for table in self.tables]
        tables = [
            table
            if facts is None or table.kind or not facts.kind
            else changed(table, kind=facts.kind, measure=facts.measure)
            for table, facts in known
        ]
        object.__setattr__(self, "tables", tuple(tables))

    def __getitem__(self, name: str) -> ReleasedTable:
        """The answers to one question, by its name."""
        for table in self.tables:
            if table.name == name:
                return table
        names = ", ".join(repr(table.name) for table in self.tables)
        raise _check.refuse("`name` must be that of a question", repr(name), f"One of: {names}.")

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What must be known of all answers; what is known of one table's is said there."""
        return self.facts.flags

    @property
    def bounds(self) -> dict[str, dict[str, int]]:
        """For each question, by name, the bounds under which it was answered.

        Whoever gives these to another plan has nothing to choose, and nothing to pay for that.
        """
        return {each.forecast.question: each.bounds for each in self.facts.questions}

    @property
    def ranges(self) -> dict[str, dict[str, float]]:
        """For each question whose `lower` or `upper` was chosen, by name, both of them.

        Whoever gives these to another question has nothing to choose, and nothing to pay for that.
        """
        found = () if self.facts.chosen is None else self.facts.chosen.ranges
        return {each.question: {"lower": each.lower, "upper": each.upper} for each in found}

    @property
    def certificates(self) -> dict[str, str]:
        """The proofs of least noise, as JSON, by fingerprint."""
        proofs = ((table.certificate_id, table.certificate) for table in self.tables)
        return {name: proof.to_json() for name, proof in proofs if name and proof}

    def consistent(self, total: str, parts: str) -> "PlanRelease":
        """The same, with a total and its parts moved so that the parts add up to it.

        Args:
            total: the name of a question with one answer.
            parts: the name of one whose groups make up the whole, each row in one of them.
        """
        moved = consistent(self[total], self[parts])
        by_name = {table.name: table for table in moved}
        tables = tuple(by_name.get(table.name, table) for table in self.tables)
        return replace(self, tables=tables)

    @overload
    def to_json(self) -> str: ...
    @overload
    def to_json(self, path: str | Path, *, replace: bool = False) -> None: ...
    def to_json(self, path: str | Path | None = None, *, replace: bool = False) -> str | None:
        """Everything as JSON, which `from_json` reads back: as text, or in a new file.

        Args:
            path: where to write it; None for the text itself.
            replace: whether the file may take the place of another one.
        """
        parts = self.guarantee, self.entry, self.digest, self.facts, self.left
        found = release_pieces(self.tables, *parts, self.certificate)
        if path is None:
            return "".join(found)
        write_new_file(path, map(str.encode, found), replace=replace)
        return None

    def to_excel(self, path: str | Path, *, replace: bool = False) -> None:
        """As a new Excel workbook: a sheet for each question, and one about the release.

        Needs leastnoise[excel]. Texts are texts there, never formulas, exactly as they are.
        """
        write_new_file(path, self.excel_bytes(), replace=replace)

    def excel_bytes(self) -> bytes:
        """What an Excel workbook of it holds."""
        tables = {table.name: table.plain_columns() for table in self.tables}
        return workbook(tables, self._about())

    def _about(self) -> list[tuple[str, str]]:
        facts, questions = self.facts, {e.forecast.question: e for e in self.facts.questions}
        told = [
            ("data", facts.dataset),
            ("guarantee", str(self.guarantee)),
            ("neighbours", facts.neighbours),
            ("unit", "each row" if facts.unit is None else facts.unit),
            ("ledger", f"line {self.entry.number}, seal {self.entry.seal}"),
            ("plan", self.digest),
            ("made by", f"leastnoise {facts.version}"),
            *(("note", each) for each in remarks(self.flags)),
        ]
        for table in self.tables:
            told += [("", ""), *table.about()]
            asked = questions.get(table.name)
            if asked is not None:
                told += [("asked", asked.words)]
                told += [(name, str(bound)) for name, bound in asked.bounds.items()]
        return told

    @classmethod
    def from_json(cls, text: str) -> "PlanRelease":
        """A release that was written with `to_json`.

        Raises:
            InvalidParameter: another text.
        """
        return cls(*release_from_text(text))

    plot = _show.plot
    report = _show.report
    _repr_html_ = _show.html

    def __repr__(self) -> str:
        numbers = many(sum(map(len, self.tables)), "number")
        counts = f"{many(len(self.tables), 'table')}, {numbers}"
        name = f" {visible(self.facts.dataset)[:_LONGEST]}" if self.facts.dataset else ""
        return f"<Release{name}: {counts}, {said(self.guarantee)}, line {self.entry.number}>"

    def __str__(self) -> str:
        promise = (
            f"{self.guarantee}; line {self.entry.number} of the ledger, seal {self.entry.seal}"
        )
        lines = "\n".join(wrapped(each) for each in (*map(visible, remarks(self.flags)), promise))
        return "\n\n".join([*map(str, self.tables), lines])
