"""Which picture shows which kind of value."""

from functools import singledispatch
from html import escape
from typing import Any

from leastnoise._display import visible
from leastnoise.accounting.epoch_table import EpochCosts
from leastnoise.auditing.audit_report import Audit
from leastnoise.errors import LeastNoiseError, UnsupportedQuery
from leastnoise.groupwise.group_curve import GroupCurve
from leastnoise.least_noise.scalar.optimal_noise import OptimalNoise
from leastnoise.ledger.ledger import Ledger
from leastnoise.noise.laws.lattice_law import LatticeLaw
from leastnoise.pictures import renderer
from leastnoise.pictures.attacker_picture import loss_picture, promise_picture, view_picture
from leastnoise.pictures.audit_picture import audit_picture
from leastnoise.pictures.bounds_picture import bounds_picture
from leastnoise.pictures.budget_picture import budget_picture
from leastnoise.pictures.group_picture import group_picture
from leastnoise.pictures.law_picture import law_picture, optimal_noise_picture
from leastnoise.pictures.picture import Picture
from leastnoise.pictures.released_picture import release_picture, table_picture
from leastnoise.pictures.series_picture import series_picture
from leastnoise.pictures.sizes_picture import least_error_picture, sample_size_picture
from leastnoise.pictures.training_picture import training_picture
from leastnoise.planning.tradeoff_view import TradeoffView
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.release.bounds_look import BoundsLook
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.release.result.step_series import StepSeries
from leastnoise.sizes.least_error import LeastError
from leastnoise.sizes.sample_size import SampleSize


@singledispatch
def picture_of(value: object, *_: Any, **__: Any) -> Picture:
    """The picture of a value, of whatever kind.

    Raises:
        UnsupportedQuery: there is none for this kind.
    """
    raise UnsupportedQuery(
        f"there must be a picture for the value's kind; got a {type(value).__name__}. "
        "See docs/pictures.md for those there are."
    )


picture_of.register(LatticeLaw, law_picture)
picture_of.register(OptimalNoise, optimal_noise_picture)
picture_of.register(PrivacyLoss, loss_picture)
picture_of.register(TradeoffView, view_picture)
for _promise in (PureDP, ApproxDP, ZCDP, RDP, GDP):
    picture_of.register(_promise, promise_picture)
picture_of.register(Ledger, budget_picture)
picture_of.register(GroupCurve, group_picture)
picture_of.register(EpochCosts, training_picture)
picture_of.register(SampleSize, sample_size_picture)
picture_of.register(LeastError, least_error_picture)
picture_of.register(ReleasedTable, table_picture)
picture_of.register(StepSeries, series_picture)
picture_of.register(PlanRelease, release_picture)
picture_of.register(Audit, audit_picture)
picture_of.register(BoundsLook, bounds_picture)


def notebook_html(value: object) -> str:
    """What a notebook shows of a value: its text, and its picture where one can be drawn."""
    words = escape(visible(str(value), keep="\n"))
    text = f'<pre style="white-space:pre-wrap;margin:0">{words}</pre>'
    if not renderer.is_installed():
        return text
    try:
        return text + picture_of(value)._repr_html_()
    except LeastNoiseError:  # a law without a pmf to draw, a ledger that is gone: the text remains
        return text
