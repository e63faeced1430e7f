r"""The gate: the only door from a plan to the ledger and to noise.

Whoever proposes steps (a search, which may be wrong) claims a price for each. Here every claim is
proved anew from laws and reaches, the prices are added up, and the whole is held against the
budget. Nothing here looks at how the budget was divided or why a mechanism was chosen.

Only `admit` and `admit_first` make an `Admitted`, only its `charge` makes a `Paid`, and noise is
drawn for a `Paid` alone, once: so nothing can be drawn that was not priced, or priced and not
charged. Answers that are stored before anybody sees them may be drawn again for the same charge
after a crash: only the draw that was stored first is ever shown (docs/proofs/gate.md, theorem 7).
A charge may reserve a part for steps that are made from what the first ones show; the
`Reserved` admits such steps once, and up to that part, which was fixed before the charge.
"""

from collections.abc import Mapping, Sequence
from dataclasses import InitVar
from fractions import Fraction
from threading import Lock
from typing import NoReturn

from leastnoise._dataclass import dataclass
from leastnoise.errors import NotAdmitted
from leastnoise.ledger.entry import Entry
from leastnoise.ledger.ledger import Ledger
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.joint.centred_gaussian import CentredGaussian
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.partitions.keep_rule import KeepRule
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.noise.laws.discrete_gaussian import DiscreteGaussian
from leastnoise.privacy.curves.concentrated_curve import ConcentratedCurve
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.release.ask.expression import Term
from leastnoise.release.ask.table import Table
from leastnoise.release.step.histograms import Histograms
from leastnoise.release.step.measurement import Measurement
from leastnoise.release.step.step import Step
from leastnoise.release.step.step_price import (
    Claim,
    keeps_claim,
    marginals_square,
    normal_keeps,
    step_reach,
)
from leastnoise.release.step.unit_spread import UnitSpread
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner

_SMOOTHINGS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Values of s to try in `line_keeps`: each is sound, and the best depends on the plan."""
_SEAL = object()
_NOTHING = PureDP(epsilon=0)


@dataclass(frozen=True)
class Admitted:
    """Steps that surely keep their guarantees together. Only `admit` makes one.

    Attributes:
        table: whose rows are measured, and what privacy is promised for.
        steps: what will be drawn, in this order.
        costs: guarantees that all hold of everything together; the budget is the first.
        rest: what is charged beside these steps, for steps made from what they show; None if
            nothing follows.
    """

    table: Table
    steps: tuple[Step, ...]
    costs: tuple[Guarantee, ...]
    seal: InitVar[object]  # not kept, so that a changed copy has none
    rest: Claim | None = None

    def __post_init__(self, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("an Admitted is made by leastnoise's gate and by nothing else")

    def charge(
        self,
        ledger: Ledger,
        *,
        purpose: str,
        labels: Mapping[str, str] | None,
        digest: str,
        answers: str = "",
    ) -> "Paid":
        """Spends: the charge is durable when this returns, and only then may noise be drawn.

        With `answers`, the name under which all that is drawn will be stored before anybody sees
        it, a charge that was made for it before is not made again: see `Ledger.charge`.

        The ledger is told whose rows were measured and what privacy is promised for. What is
        reserved for later steps is spent with it, whether they are ever drawn or not.
        """
        told = {"purpose": purpose, "digest": digest, **self.table.scope.said}
        entry = ledger.charge(self.costs, labels=labels, answers=answers, **told)
        later = None if self.rest is None else Reserved(self.table, self.rest, entry, _SEAL)
        return Paid(self.steps, entry, _SEAL, later)


class Paid:
    """Steps whose price is on the ledger: noise may be drawn for them, once.

    Attributes:
        entry: the ledger's line.
        later: what the same charge paid for steps that are yet to be made; None if nothing.
    """

    def __init__(
        self,
        steps: tuple[Step, ...],
        entry: Entry,
        seal: object,
        later: "Reserved | None" = None,
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("a Paid is made by a charge and by nothing else")
        self.entry, self.later = entry, later
        self._steps, self._lock = steps, Lock()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Paid has no copies: it was paid for one draw")

    def used(self) -> tuple[Step, ...]:
        """The steps, for one draw of each. A second call is refused: it was paid for one."""
        with self._lock:
            steps, self._steps = self._steps, ()
        if steps:
            return steps
        raise NotAdmitted(
            "noise must be drawn once for each charge; this one's was drawn before. "
            "Release the plan again, at its price."
        )


class Reserved:
    """A part of a charge, for steps that are made from what the first ones showed. Admits once.

    Attributes:
        part: what these steps may cost; it was fixed before the charge.
    """

    def __init__(self, table: Table, part: Claim, entry: Entry, seal: object) -> None:
        if seal is not _SEAL:
            raise TypeError("a Reserved is made by a charge and by nothing else")
        self.part = part
        self._table, self._entry, self._lock, self._open = table, entry, Lock(), True

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Reserved has no copies: it was charged once")

    def paid(self, steps: Sequence[Step]) -> Paid:
        """The steps, if they keep the part; a refusal leaves it, a second list is refused.

        Raises:
            NotAdmitted: they do not keep the part, or others were admitted before.
        """
        admitted = admit(self._table, steps, self.part)
        with self._lock:
            is_open, self._open = self._open, False
        if is_open:
            return Paid(admitted.steps, self._entry, _SEAL)
        raise NotAdmitted(
            "what a charge reserves must pay for one list of steps; it has paid for another. "
            "Release the plan again, at its price."
        )


@dataclass(frozen=True)
class Parts:
    """A budget in two parts, both fixed before anything is drawn.

    Attributes:
        first: for steps that are known now.
        rest: for steps that are made from what the first ones show.
    """

    first: Claim
    rest: Claim


def admit_first(table: Table, steps: Sequence[Step], budget: Guarantee, parts: Parts) -> Admitted:
    r"""The steps of a release in two stages, with the right to as much as `parts.rest` later.

    Theorem: let A keep (ε_A, δ_A), and let B_a keep (ε_B, δ_B) for every answer a of A, with
    ε_A, δ_A, ε_B, δ_B fixed before. Then A followed by B_a keeps (ε_A + ε_B, δ_A + δ_B); and the
    same of δ-approximate ρ-zCDP. B_a may be any function of a and of public facts.
    Proof: docs/proofs/gate.md, theorem 6.

    References: DworkRoth2014, Theorem B.1; BunSteinke2016, Lemmas 2.3 and 8.2.

    Args:
        table: whose rows are measured, in both stages.
        steps: what is drawn first.
        budget: what both stages together are said to keep.
        parts: what each stage is said to keep.

    Raises:
        NotAdmitted: the steps do not keep their part, or both parts together not the budget.
    """
    whole = added_up((parts.first, parts.rest))
    if not implies(whole, budget):
        raise NotAdmitted(
            f"both parts together must keep {budget!r}; they keep {whole!r}, which is less. "
            f"{_REPORT}"
        )
    known = admit(table, steps, parts.first)
    costs = (budget,) if whole == budget else (budget, whole)
    return Admitted(table, known.steps, costs, _SEAL, parts.rest)


def admit(table: Table, steps: Sequence[Step], budget: Guarantee) -> Admitted:
    r"""The steps, if all of them together surely keep the budget.

    Theorem: if the steps are (ε_i, δ_i)-DP, each whatever the earlier ones showed, all together are
    (Σ ε_i, Σ δ_i)-DP; if they are δ_i-approximately ρ_i-zCDP, they are so with Σ ρ_i and Σ δ_i.
    Proof: docs/proofs/gate.md.

    References: DworkRoth2014, Theorem B.1; BunSteinke2016, Lemmas 2.3 and 8.2.

    Args:
        table: whose rows are measured, and what privacy is promised for.
        steps: what is to be drawn, in this order.
        budget: what all of it together is said to keep.

    Raises:
        NotAdmitted: a step does not keep its claim, or all together not the budget. Nothing was
            charged, read or drawn. It is a fault of the search, not of the plan.
    """
    given = tuple(steps)
    _refuse_out_of_order(given)
    for number, step in enumerate(given, 1):
        if not keeps_claim(step, table):
            raise NotAdmitted(
                f"step {number} must keep {step.claim!r}; {type(step.mechanism).__name__} does "
                f"not, as far as can be proved. {_REPORT}"
            )
    whole = added_up(_claims(given))
    if not implies(whole, budget) and not _on_the_line(given, table, budget):
        raise NotAdmitted(
            f"the steps together must keep {budget!r}; they keep {whole!r}, which is less. "
            f"{_REPORT}"
        )
    return Admitted(table, given, (budget,) if whole == budget else (budget, whole), _SEAL)


_REPORT = "Nothing was charged or drawn. Please report it, with the plan."


def _refuse_out_of_order(steps: tuple[Step, ...]) -> None:
    """Each step is drawn once, and after the one that chooses its groups."""
    before: set[int] = set()
    _refuse_reused(steps)
    for step in steps:
        chooser = step.among
        late = chooser is not None and id(chooser) not in before
        hidden = chooser is None and _has_private_groups(step)
        if late or hidden or id(step) in before or not _is_choice(chooser, step):
            raise NotAdmitted(
                "steps must be drawn once each, after the choice of their groups; these are not. "
                f"{_REPORT}"
            )
        before.add(id(step))


def _refuse_reused(steps: tuple[Step, ...]) -> None:
    """Each part of a joint draw is noise for one step: a second one would betray it."""
    parts = [each.mechanism for each in steps if isinstance(each.mechanism, JointPart)]
    used = [(id(part.whole), part.place) for part in parts]
    if len(set(used)) < len(used):
        raise NotAdmitted(f"noise must be used once; two steps share a part of it. {_REPORT}")


def _draw(step: Step) -> int:
    """The same for all steps that share a draw, and for no others."""
    return id(step.mechanism.whole if isinstance(step.mechanism, JointPart) else step)


def _claims(steps: tuple[Step, ...]) -> list[Claim]:
    """What each draw claims; steps that share one claim it once, and all of them the same."""
    found: dict[int, Claim] = {}
    for step in steps:
        if found.setdefault(_draw(step), step.claim) != step.claim:
            raise NotAdmitted(f"parts of one draw must claim one price; they do not. {_REPORT}")
    return list(found.values())


def _has_private_groups(step: Step) -> bool:
    """Whether showing all groups of an answer would show which ones are in the data."""
    if isinstance(step.mechanism, KeepRule) or isinstance(step.asked, UnitSpread):
        return False  # knots are public, whatever groups the units' numbers are of
    if isinstance(step.asked, Histograms):
        return any(each.is_private for each in step.asked.groupings)
    return bool(step.asked.by) and step.asked.keys is None


def _is_choice(chooser: Step | None, step: Step) -> bool:
    """Whether the chooser chose groups of the kind that the step answers: theorem 3a."""
    if chooser is None:
        return True
    one, other = chooser.asked, step.asked
    choice = isinstance(chooser.mechanism, KeepRule | TopSelection)
    if not choice or not isinstance(one, Measurement):
        return False
    if isinstance(other, Histograms):
        return one.keys is None and _is_parted(step, one.by)
    if not isinstance(other, Measurement) or (one.by, one.keys) != (other.by, other.keys):
        return False
    return one.bounds == other.bounds if one.keys is None else one.where == other.where


def _is_parted(step: Step, by: tuple[Term, ...]) -> bool:
    """Whether it looks for quantiles in parts of a range, in each of the groups made by `by`."""
    if not isinstance(step.mechanism, Quantiles) or not isinstance(step.asked, Histograms):
        return False
    first, *others = step.asked.groupings
    return not others and first.keys is None and first.columns == by and first.by[:-1] == by


def added_up(claims: Sequence[Claim]) -> Claim:
    """What all steps keep together, by simple composition."""
    rhos = [claim for claim in claims if isinstance(claim, ZCDP)]
    # What tells nothing at all costs nothing of either kind.
    pairs = [each for each in claims if not isinstance(each, ZCDP) and each != _NOTHING]
    delta = sum((each.delta for each in claims if not isinstance(each, PureDP)), Fraction(0))
    if rhos and pairs:
        raise NotAdmitted(f"prices must be of one kind; they are of two. {_REPORT}")
    if rhos:
        return ZCDP(rho=sum((each.rho for each in rhos), Fraction(0)), delta=delta)
    epsilon = sum((each.epsilon for each in pairs), Fraction(0))
    return ApproxDP(epsilon=epsilon, delta=delta) if delta else PureDP(epsilon=epsilon)


def implies(whole: Claim, budget: Guarantee) -> bool:
    """Whether what is kept is enough for a budget, as far as it can be proved."""
    match whole, budget:
        case ZCDP(), ZCDP():
            return whole.rho <= budget.rho and whole.delta <= budget.delta
        case ZCDP(), ApproxDP():
            return ConcentratedCurve(whole).delta(budget.epsilon).upper <= budget.delta
        case PureDP(), PureDP() | ApproxDP():
            return whole.epsilon <= budget.epsilon
        case ApproxDP(), ApproxDP():
            return whole.epsilon <= budget.epsilon and whole.delta <= budget.delta
        case _:
            return False


def _on_the_line(steps: Sequence[Step], table: Table, budget: Guarantee) -> bool:
    """Gaussian noise on integers in every step, priced as noise on the line."""
    moved = {_draw(step): step for step in steps if step_reach(step, table).cells}
    parts = [_gaussian(step, table) for step in moved.values()]
    known = [part for part in parts if part is not None]
    return len(known) == len(parts) and line_keeps(known, budget)


def line_keeps(parts: Sequence[tuple[Fraction, Fraction, int]], budget: Guarantee) -> bool:
    r"""Whether Gaussian noise on integers, priced as noise on the line, keeps a budget.

    Theorem: let a release add to each coordinate i of an integer vector discrete Gaussian noise of
    parameter V_i > s, s ≥ 1 an integer. Let neighbours differ in at most m coordinates, by w_i,
    with Σ w_i²/(V_i − s) ≤ μ², and let κ = m·2^(3−14s) ≤ 1/2. If N(0, 1) and N(μ, 1) are
    (ε, (δ − κ)/(1 − κ))-indistinguishable, the release is (ε, δ)-DP.
    Proof: docs/proofs/correlated_noise.md, Theorem 4, and docs/proofs/allocation.md; of numbers
    that are measured step by step, docs/proofs/over_time.md, section 4.

    Args:
        parts: for each draw how far one unit moves its numbers in squares, V, and how many of them
            it moves at most.
        budget: what all of it together is to keep.
    """
    if not isinstance(budget, ApproxDP):
        return False
    changed = sum(part[2] for part in parts)
    for smoothing in _SMOOTHINGS:
        leak = Fraction(8 * changed, 1 << 14 * smoothing)
        if leak >= budget.delta or 2 * leak > 1 or any(v <= smoothing for _, v, _ in parts):
            continue
        square = sum((moved / (v - smoothing) for moved, v, _ in parts), Fraction(0))
        if normal_keeps(square, budget.epsilon, (budget.delta - leak) / (1 - leak)):
            return True
    return False


def _gaussian(step: Step, table: Table) -> tuple[Fraction, Fraction, int] | None:
    """How far one unit moves the step's numbers in squares, V, and how many of them it moves."""
    mechanism = step.mechanism
    if isinstance(mechanism, CellNoise) and isinstance(mechanism.law, DiscreteGaussian):
        reach = step_reach(step, table)
        return Fraction(reach.square), mechanism.law.sigma_squared, reach.cells
    if isinstance(mechanism, JointPart) and isinstance(mechanism.whole, CentredGaussian):
        whole = mechanism.whole
        return Fraction(whole.squared_reach), whole.parameter, whole.coordinates
    if isinstance(mechanism, ResidualPlanner) and isinstance(step.asked, Histograms):
        square, noise = marginals_square(mechanism, step.asked, table), mechanism.plan.noise
        return None if square is None else (square, noise.law.sigma_squared, noise.coordinates)
    return None
