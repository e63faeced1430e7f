r"""The gate of a schedule: all steps are priced together and charged once, before the first.

Only `admit_schedule` makes an `AdmittedSchedule`, and only a ledger's line makes a `PaidSchedule`
of it. A step is drawn for a `PaidSchedule` alone, after all steps before it, and what is shown is
what the ledger has stored: of two draws of one step, the first that is stored counts and the other
is forgotten unseen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar
from fractions import Fraction
from hashlib import sha256
from typing import NoReturn

from leastnoise._dataclass import dataclass
from leastnoise.errors import LedgerError, NotAdmitted
from leastnoise.ledger.entry import Charge, Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.mechanisms.over_time.stream_noise import StreamNoise
from leastnoise.privacy.guarantee import Guarantee
from leastnoise.release.ask.schedule import Schedule
from leastnoise.release.ask.table import Table
from leastnoise.release.gate import added_up, implies, line_keeps
from leastnoise.release.step.stream_step import StreamStep, keeps_stream_claim

_SEAL = object()
_REPORT = "Nothing was charged or drawn. Please report it, with the plan."


@dataclass(frozen=True)
class AdmittedSchedule:
    """Streams that surely keep their guarantees together. Only `admit_schedule` makes one.

    Attributes:
        table: whose rows are measured, and what privacy is promised for.
        schedule: the steps.
        streams: what will be drawn in each of them, question after question.
        costs: guarantees that all hold of everything together; the budget is the first.
    """

    table: Table
    schedule: Schedule
    streams: tuple[StreamStep, ...]
    costs: tuple[Guarantee, ...]
    seal: InitVar[object]  # not kept, so that a changed copy has none

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("an AdmittedSchedule is made by leastnoise's gate and by nothing else")

    def charge(
        self,
        ledger: Ledger,
        *,
        name: str,
        content: str,
        purpose: str,
        labels: Mapping[str, str] | None,
    ) -> str:
        """Spends for all steps, once; returns what the ledger holds under the name.

        That is the content, or that of whoever was first: nothing is spent then.
        """
        return ledger.begin_schedule(
            self.costs,
            name=name,
            content=content,
            purpose=purpose,
            labels=labels,
            **self.table.scope.said,
        )

    def paid(self, ledger: Ledger, content: str) -> "PaidSchedule":
        """The right to draw its steps, if a line of the ledger paid for this content.

        Raises:
            LedgerError: no line did, or one that paid for less.
        """
        entry = ledger.charge_for(content)
        if entry is None or not isinstance(entry.event, Charge):
            raise LedgerError(
                "a schedule must be charged before its steps are drawn; the ledger has its design "
                "and no charge. It was put there by another hand: restore a backup."
            )
        if entry.event.costs != self.costs:
            raise LedgerError(
                "a schedule's charge must be what its steps cost; this one is not. The ledger or "
                "the plan was changed: restore both."
            )
        return PaidSchedule(self, ledger, content, entry, _SEAL)


class PaidSchedule:
    """A schedule whose price is on the ledger: each of its steps may be drawn, once.

    Attributes:
        admitted: what is drawn.
        entry: the ledger's line.
    """

    def __init__(
        self, admitted: AdmittedSchedule, ledger: Ledger, content: str, entry: Entry, seal: object
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("a PaidSchedule is made by a charge and by nothing else")
        self.admitted, self.entry = admitted, entry
        self._ledger, self._digest = ledger, sha256(content.encode()).hexdigest()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a PaidSchedule has no copies: ask the ledger again")

    def _name(self, number: int) -> str:
        return f"{self._digest} step {number}"

    def done(self) -> list[str]:
        """What the steps that were drawn showed, from the first one on."""
        steps = self.admitted.schedule.steps
        return self._ledger.kept_all(self._name(number) for number in range(1, steps + 1))

    def step(self, number: int, draw: Callable[[], str]) -> str:
        """What a step shows: what is stored, or else a draw, stored before anybody sees it.

        Args:
            number: of the step; all before it must be stored.
            draw: what draws it; called at most once.

        Raises:
            NotAdmitted: there is no such step, or an earlier one is not drawn yet.
            LedgerError: the ledger cannot be written; what was drawn is lost, unseen.
        """
        steps = self.admitted.schedule.steps
        if not 1 <= number <= steps:
            raise NotAdmitted(
                f"a step must be one of {steps}; got {number}. Take another schedule."
            )
        found = self._ledger.kept(self._name(number))
        if found is not None:
            return found
        if number > 1 and self._ledger.kept(self._name(number - 1)) is None:
            raise NotAdmitted(
                f"steps must be drawn one after another; step {number - 1} was not drawn before "
                f"step {number}. Draw those before it first."
            )
        self._ledger.keep(self._name(number), draw())
        stored = self._ledger.kept(self._name(number))  # somebody else may have been first
        assert stored is not None, "it was stored a moment ago"
        return stored


def admit_schedule(
    table: Table, schedule: Schedule, streams: Sequence[StreamStep], budget: Guarantee
) -> AdmittedSchedule:
    r"""The streams, if all steps of all of them together surely keep the budget.

    Theorem: streams that are ρ_i-zCDP, each whatever the others showed, are Σ ρ_i-zCDP together;
    if they are ε_i-DP, they are Σ ε_i-DP.
    Proof: docs/proofs/gate.md; of steps in turn, docs/proofs/over_time.md, section 4.

    References: BunSteinke2016, Lemma 2.3.

    Args:
        table: whose rows are measured, and what privacy is promised for.
        schedule: the steps, the same for all streams.
        streams: what is to be drawn in each step.
        budget: what all of it together is said to keep.

    Raises:
        NotAdmitted: a stream does not keep its claim, or all together not the budget. Nothing was
            charged, read or drawn.
    """
    given = tuple(streams)
    for number, stream in enumerate(given, 1):
        if stream.asked.schedule != schedule or not keeps_stream_claim(stream, table):
            raise NotAdmitted(
                f"stream {number} must keep {stream.claim!r} over {schedule.steps} steps; it does "
                f"not, as far as can be proved. {_REPORT}"
            )
    whole = added_up([stream.claim for stream in given])
    if not given or not (implies(whole, budget) or _on_the_line(given, budget)):
        raise NotAdmitted(
            f"all steps together must keep {budget!r}; they keep {whole!r}, which is less. "
            f"{_REPORT}"
        )
    costs = (budget,) if whole == budget else (budget, whole)
    return AdmittedSchedule(table, schedule, given, costs, _SEAL)


def _on_the_line(streams: Sequence[StreamStep], budget: Guarantee) -> bool:
    """Gaussian noise in every stream, priced as noise on the line."""
    noises = [each.mechanism for each in streams]
    known = [each for each in noises if isinstance(each, StreamNoise)]
    parts = [
        (Fraction(each.squared_reach), each.parameter, each.steps * each.groups) for each in known
    ]
    return len(known) == len(noises) and line_keeps(parts, budget)
