"""`CodeExperiment`: how often a code catches a coalition, and how often it accuses the innocent."""

from fractions import Fraction
from typing import SupportsIndex

from leastnoise import _check
from leastnoise._check import Exact
from leastnoise._dataclass import dataclass
from leastnoise._frozen import Number, Whole, checked, frozen
from leastnoise.attacks.attribute_rows import risk
from leastnoise.attacks.collusion import Strategy, forge
from leastnoise.attacks.tardos_code import TardosCode
from leastnoise.numeric.clopper_pearson import clopper_pearson
from leastnoise.numeric.interval import Interval
from leastnoise.randomness.source import Source, checked_source


@dataclass(frozen=True)
class CodeMeasurement:
    """What happened in so many independent trials of a code against a coalition.

    Attributes:
        trials: how many codes were drawn and attacked.
        caught: in how many of them somebody guilty was accused.
        framed: in how many of them somebody innocent was accused.
        accused_share: the share of the guilty that were accused, over all trials.
    """

    trials: int
    caught: int
    framed: int
    accused_share: Fraction

    def completeness(self, *, confidence: Exact) -> Interval:
        """A confidence interval for the probability that somebody guilty is accused."""
        return self._share(self.caught, confidence)

    def framing(self, *, confidence: Exact) -> Interval:
        """A confidence interval for the probability that somebody innocent is accused."""
        return self._share(self.framed, confidence)

    def _share(self, successes: int, confidence: Exact) -> Interval:
        level = risk(confidence, "confidence")
        return Interval(*clopper_pearson(successes, self.trials, 1 - level))


@frozen(kw_only=True)
class CodeExperiment:
    r"""Draw a `TardosCode`, let a coalition forge a copy, trace it; as often as you like.

    That an innocent user is accused with probability at most β needs no measuring: it is the
    theorem of `TardosCode`. That somebody guilty is accused is measured here.

    Args:
        users: the number of words, coalition included.
        length: bits per word.
        coalition: how many users collude.
        false_accusation: β in (0, 1), for each innocent user.

    References: ClopperPearson1934 for the intervals.

    Example:
        >>> from leastnoise.attacks.collusion import majority
        >>> experiment = CodeExperiment(
        ...     users=10, length=2000, coalition=3, false_accusation="1e-6"
        ... )
        >>> measured = experiment.measure(majority, trials=20)
        >>> measured.caught, measured.framed
        (20, 0)
        >>> round(float(measured.completeness(confidence="0.95").lower), 2)
        0.83
    """

    users: Whole = checked(_check.whole(1))
    length: Whole = checked(_check.whole(1))
    coalition: Whole = checked(_check.whole(1))
    false_accusation: Number = checked(risk)

    def __post_init__(self) -> None:
        _check.integer_between(self.coalition, "coalition", 1, self.users)

    def measure(
        self, strategy: Strategy, *, trials: SupportsIndex, source: Source | None = None
    ) -> CodeMeasurement:
        """Independent trials against one strategy of `leastnoise.attacks.collusion`.

        The trials in which somebody guilty, or somebody innocent, is accused are binomial in
        number, so that Clopper and Pearson's intervals cover the two probabilities.
        """
        count, drawer = _check.integer_between(trials, "trials", 1), checked_source(source)
        caught = framed = accused = 0
        for _ in range(count):
            guilty, innocent = self._trial(strategy, drawer)
            caught, framed, accused = (
                caught + (guilty > 0),
                framed + (innocent > 0),
                accused + guilty,
            )
        return CodeMeasurement(count, caught, framed, Fraction(accused, count * self.coalition))

    def _trial(self, strategy: Strategy, source: Source) -> tuple[int, int]:
        """How many of the guilty and how many of the innocent one code accuses."""
        code = TardosCode(
            users=self.users, length=self.length, coalition=self.coalition, source=source
        )
        copy = forge(code.words[: self.coalition], strategy, source)
        named = code.trace(copy, false_accusation=self.false_accusation).accused
        return int(named[: self.coalition].sum()), int(named[self.coalition :].sum())
