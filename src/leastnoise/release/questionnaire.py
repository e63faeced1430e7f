"""`Questionnaire`: what is asked about one table, one method for each kind of question."""

from leastnoise._dataclass import dataclass
from leastnoise.release.asking.counts import CountQuestions
from leastnoise.release.asking.distributions import DistributionQuestions
from leastnoise.release.asking.fields import FieldQuestions
from leastnoise.release.asking.regressions import RegressionQuestions
from leastnoise.release.asking.shares import ShareQuestions
from leastnoise.release.asking.sums import SumQuestions
from leastnoise.release.asking.variations import VariationQuestions
from leastnoise.release.price.value_spreads import needed_ranges


@dataclass(frozen=True)
class Questionnaire(
    CountQuestions,
    SumQuestions,
    ShareQuestions,
    VariationQuestions,
    RegressionQuestions,
    DistributionQuestions,
    FieldQuestions,
):
    """Every kind of question that can be asked; each method returns a longer list."""

    @property
    def has_open_bounds(self) -> bool:
        """Whether the plan's bounds, or the range of a question, are to be chosen."""
        rows = bool(self.bounds.to_choose) and self.table.unit is not None
        return rows or bool(needed_ranges(self.questions, self.bounded))
