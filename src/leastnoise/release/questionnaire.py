"""`Questionnaire`: what is asked about one table, one method for each kind of question."""

from dataclasses import dataclass

from leastnoise.release.asking.counts import CountQuestions
from leastnoise.release.asking.distributions import DistributionQuestions
from leastnoise.release.asking.fields import FieldQuestions
from leastnoise.release.asking.regressions import RegressionQuestions
from leastnoise.release.asking.scheduling import Scheduling
from leastnoise.release.asking.shares import ShareQuestions
from leastnoise.release.asking.sums import SumQuestions
from leastnoise.release.asking.variations import VariationQuestions


@dataclass(frozen=True)
class Questionnaire(
    CountQuestions,
    SumQuestions,
    ShareQuestions,
    VariationQuestions,
    RegressionQuestions,
    DistributionQuestions,
    FieldQuestions,
    Scheduling,
):
    """Every kind of question that can be asked; each method returns a longer list."""
