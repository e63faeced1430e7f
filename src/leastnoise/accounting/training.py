"""What a training run with noisy gradients costs: many Gaussian steps on random batches."""

from typing import Literal

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.accounting.shuffling import ShuffledBatches
from leastnoise.errors import UnsupportedQuery
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.sampling import Neighbours, known_neighbours, rate_of_sampling

MOST_STEPS = 1 << 24
"""More are not told apart."""


Batches = Literal["poisson", "fixed", "allocated", "shuffled"]
"""Each record by itself; so many of all; each in one step of an epoch; in a random order."""

BATCHES = ("poisson", "fixed", "allocated", "shuffled")


@frozen
class Training:
    """Steps with Gaussian noise, each on a random batch of the records.

    Args:
        noise: the noise multiplier, σ over the norm bound of one record's gradient.
        rate: the chance of a record to be in a step's batch.
        steps: how many.
        neighbours: what one record can do.
        batches: how they are made: "poisson", each record by itself; "fixed", so many records
            drawn anew for each step; "allocated", each record in one step of each epoch, drawn at
            random; "shuffled", a random order cut into batches, of which only bounds are known.

    Example:
        >>> run = Training(noise="1", rate="0.01", steps=1000)
        >>> round(float(run.loss.epsilon(delta="1e-5")), 4)
        1.8282
    """

    noise: Number = checked(_check.positive)
    rate: Number = checked(rate_of_sampling)
    steps: Whole = checked(_check.whole(1, MOST_STEPS))
    neighbours: Neighbours = "add_remove"
    batches: Batches = "poisson"

    def __post_init__(self) -> None:
        known_neighbours(self.neighbours)
        if self.batches not in BATCHES:
            raise _check.refuse(
                f"`batches` must be one of {', '.join(BATCHES)}",
                _check.shown(self.batches),
                "It says how the records of a step are chosen.",
            )

    @property
    def epoch(self) -> int:
        """How many steps go through all records once, on average."""
        return max(1, round(1 / self.rate))

    @property
    def loss(self) -> PrivacyLoss:
        """The loss of all steps together."""
        step = PrivacyLoss.gaussian(mu=1 / self.noise)
        match self.batches:
            case "poisson":
                return step.poisson_sampled(self.rate, self.neighbours).self_compose(self.steps)
            case "fixed":
                return self._fixed()
            case "allocated":
                return self._allocated(step)
            case _:
                raise UnsupportedQuery(
                    "batches must be drawn anew to have a law of their loss; shuffled ones have "
                    "bounds only, and are no Poisson samples. Ask ShuffledBatches for its bounds."
                )

    def _fixed(self) -> PrivacyLoss:
        if self.neighbours != "replace":
            raise UnsupportedQuery(
                "batches of a fixed size must be asked about a record exchanged; this is another "
                "relation. Use neighbours='replace'."
            )
        # Exchanged records are two norm bounds apart.
        exchanged = PrivacyLoss.gaussian(mu=2 / self.noise)
        whole, drawn = self.rate.denominator, self.rate.numerator
        return exchanged.sampled_without_replacement(whole, drawn).self_compose(self.steps)

    def _allocated(self, step: PrivacyLoss) -> PrivacyLoss:
        epochs = self._whole_epochs()
        batches = self.rate.denominator
        return step.randomly_allocated(batches, neighbours=self.neighbours).self_compose(epochs)

    def _whole_epochs(self) -> int:
        epochs = self.steps * self.rate
        if self.rate.numerator != 1 or epochs.denominator != 1:
            raise UnsupportedQuery(
                "epochs must be whole where each record is in one step of each; 1/rate and "
                "steps·rate are not both whole numbers. Use whole epochs."
            )
        return int(epochs)

    @property
    def _shuffled(self) -> ShuffledBatches:
        return ShuffledBatches(self.noise, self.epoch, self._whole_epochs(), self.neighbours)

    def delta(self, epsilon: Exact) -> Interval:
        """The least δ for which the run is (epsilon, δ)-DP."""
        return (self._shuffled if self.batches == "shuffled" else self.loss).delta(epsilon)

    def directions(self, delta: Exact) -> dict[str, Interval]:
        """ε at a δ, for each way in which neighbours differ."""
        if self.batches == "shuffled":
            way = "replaced" if self.neighbours == "replace" else "zeroed out"
            return {way: self._shuffled.epsilon(delta)}
        loss = self.loss
        if loss.backward is None:
            ways = {"replaced" if self.neighbours == "replace" else "either": loss.forward}
        else:
            there = "zeroed out" if self.neighbours == "zero_out" else "removed"
            ways = {there: loss.forward, _BACK[there]: loss.backward}
        return {way: PrivacyLoss(variable).epsilon(delta) for way, variable in ways.items()}

    @property
    def caveat(self) -> str:
        """What the ends of its brackets are about, where that is not the truth itself."""
        if self.batches == "allocated":
            return _EXCHANGED if self.neighbours == "replace" else ""
        return _CAVEATS.get(self.batches, "")


_BACK = {"removed": "added", "zeroed out": "put back"}
_EXCHANGED = (
    "Records in one step of each epoch have no known law where they are exchanged: the upper end "
    "is that of one removed and one added, the lower end that of one that counts for nothing."
)
_CAVEATS = {
    "fixed": "Composed steps on batches of a fixed size have no known law: the upper end is that "
    "of a pair that dominates, the lower end is about that pair.",
    "shuffled": "Shuffled batches are no Poisson samples, and have no known law: the upper end is "
    "that of a record whose batch is told, the lower end that of one test in one epoch.",
}
