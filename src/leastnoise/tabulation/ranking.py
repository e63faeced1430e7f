"""Which noise has the least expected error, decided before any data is seen."""

from functools import lru_cache

from leastnoise._dataclass import dataclass
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.tabulation.neighbours import AddRemove, Neighbours
from leastnoise.tabulation.noise_family import NoiseFamily, Target, families_for
from leastnoise.tabulation.objective import Objective
from leastnoise.tabulation.perturbation import Perturbation

# From here on hiding the number of rows too makes every kind of error smaller.
_ALWAYS_CENTRED = 8


@dataclass(frozen=True)
class Ranked:
    """One kind of noise with its expected error.

    Args:
        family: its name.
        perturbation: the noise itself.
        cost: the expected error of counts.
    """

    family: NoiseFamily
    perturbation: Perturbation
    cost: Interval

    def ratio_to(self, other: "Ranked") -> Interval:
        """How many times the other's expected error this one's is."""
        return Interval(self.cost.lower / other.cost.upper, self.cost.upper / other.cost.lower)


def ranking(
    columns: int,
    target: Target,
    neighbours: Neighbours,
    objective: Objective,
    family: NoiseFamily | None = None,
) -> tuple[Ranked, ...]:
    """The kinds of noise worth a look, or the one named, least expected error first.

    Raises:
        UnsupportedQuery: none of them can meet the guarantee.
    """
    return _ranking(columns, target, isinstance(neighbours, AddRemove), objective, family)


@lru_cache(maxsize=64)
def _ranking(
    columns: int,
    target: Target,
    hidden_records: bool,
    objective: Objective,
    family: NoiseFamily | None,
) -> tuple[Ranked, ...]:
    kinds = families_for(columns, target) if family is None else [family]
    found: list[Ranked] = []
    refusal: UnsupportedQuery | None = None
    for kind in kinds:
        for centred in _frames(columns, hidden_records):
            try:
                noise = kind.perturbation(columns, target, objective, centred=centred)
                found.append(Ranked(kind, noise, noise.cost(objective)))
            except UnsupportedQuery as reason:
                refusal = reason
    if not found and refusal is not None:
        raise refusal
    return tuple(sorted(found, key=lambda ranked: ranked.cost.upper))


def _frames(columns: int, hidden_records: bool) -> tuple[bool, ...]:
    """Whether to add noise to the number of rows and to sums of ±1, or to counts of ones."""
    if not hidden_records or columns == 1:
        return (False,)
    return (True,) if columns >= _ALWAYS_CENTRED else (False, True)
