"""The second stage of a release: bounds from what the first one showed, then the answers."""

from collections.abc import Sequence

from leastnoise._dataclass import dataclass
from leastnoise.errors import BackendError
from leastnoise.randomness.source import Source
from leastnoise.release.draw.answered import make_answers_ready, step_names, totals_of
from leastnoise.release.draw.drawn import Drawn, drawn, make_ready
from leastnoise.release.draw.reading import Progress
from leastnoise.release.gate import Paid
from leastnoise.release.price.choosing import Choosing
from leastnoise.release.price.priced_plan import PricedPlan
from leastnoise.release.result.chosen import ChosenFacts
from leastnoise.release.step.secret_totals import SecretTotals


@dataclass(frozen=True)
class SecondStage:
    """What the questions are answered from.

    Attributes:
        priced: the questions, under the bounds that were chosen.
        shown: what each of their steps showed.
        chosen: the bounds, and what they were chosen from.
    """

    priced: PricedPlan
    shown: list[Drawn]
    chosen: ChosenFacts


def second_stage(
    choosing: Choosing,
    paid: Paid,
    first: Sequence[Drawn],
    source: Source,
    progress: Progress | None,
) -> SecondStage:
    """Draws what the rest of the charge pays for.

    Which steps these are depends on the plan and on what the first stage showed, and on nothing
    else: all of that is public.

    Args:
        choosing: the first stage.
        paid: its charge, of which a part is reserved for this.
        first: what its steps showed.
        source: randomness.
        progress: called with the number of passes over the data that are done, and of all.

    Raises:
        BackendError: the engine failed. The charge stands, and there are no answers.
    """
    assert paid.later is not None, "the first stage reserves the rest"
    hats = choosing.hats(first)
    bounds = choosing.bounds(hats)
    priced = choosing.then(bounds, choosing.chosen_ranges(hats, bounds))
    steps = priced.drawn_steps
    later = paid.later.paid(steps)
    make_ready(steps)
    make_answers_ready(priced)
    secrets = _totals(choosing, priced, source, progress)
    return SecondStage(priced, drawn(later, secrets, source), choosing.facts(hats, priced))


def _totals(
    choosing: Choosing, priced: PricedPlan, source: Source, progress: Progress | None
) -> list[tuple[SecretTotals, ...]]:
    table, steps = choosing.priced.table.table, priced.drawn_steps
    try:
        return totals_of(table, steps, source, progress, step_names(priced))
    except BackendError:
        pass
    # Outside the handler: what an engine says may quote data, and may say that nothing was charged.
    raise BackendError(
        "the data must be readable until all questions are answered; the engine failed after the "
        "bounds were chosen. The charge stands, because noise was drawn for them, and nothing else "
        "was. Release the plan again, at its price."
    )
