"""Differential privacy with the least noise there is.

From a table to a release: `read`, `plan`, `Ledger`. For single numbers: `optimal` for a number, a
vector or many numbers; `marginals` for a table of bits; `above_threshold` for a search;
`relative_counts` for counts with a relative error; `sample_size` for planning; `audit` for trust.
Laws of noise live in `leastnoise.noise`; every one can be drawn exactly, asked for its
probabilities and moments, and made to prove or refute a privacy claim.

Example:
    >>> import leastnoise as ln
    >>> mechanism = ln.optimal(sensitivity=1, epsilon=1, delta="1e-6")
    >>> print(mechanism.certificate().check())
    ACCEPTED: every claim was computed anew and holds
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from leastnoise.version import __version__

if TYPE_CHECKING:
    from leastnoise import (
        accounting,
        attacks,
        auditing,
        groupwise,
        mechanisms,
        noise,
        pictures,
        planning,
        privacy,
        reports,
        tabulation,
        theory,
    )
    from leastnoise.auditing.audit import audit
    from leastnoise.certificates.certificate import Certificate
    from leastnoise.certificates.over_time.stream_certificate import StreamCertificate
    from leastnoise.certificates.plan_certificate import PlanCertificate
    from leastnoise.errors import (
        BackendError,
        BudgetExceeded,
        CertificateRejected,
        InvalidParameter,
        LeastNoiseError,
        LedgerError,
        Undecided,
        UnsupportedQuery,
    )
    from leastnoise.groupwise.relative_counts import relative_counts
    from leastnoise.least_noise.named_noise import gaussian, laplace, staircase
    from leastnoise.least_noise.optimal import optimal
    from leastnoise.least_noise.over_time.running_totals import running_totals
    from leastnoise.ledger.ledger import Ledger
    from leastnoise.mechanisms.choosing.exponential_mechanism import exponential_mechanism
    from leastnoise.mechanisms.choosing.permute_and_flip import permute_and_flip
    from leastnoise.mechanisms.response import randomized_response
    from leastnoise.mechanisms.thresholds.above_threshold import above_threshold
    from leastnoise.mechanisms.thresholds.sparse_vector import sparse_vector
    from leastnoise.numeric.cost import Moment, OwnCost, TailProbability
    from leastnoise.numeric.interval import Interval
    from leastnoise.planning.attack_risk import attack_risk
    from leastnoise.planning.choosing_delta import suggest_delta
    from leastnoise.privacy.groupwise import GroupwiseZCDP
    from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, PureDP
    from leastnoise.privacy.loss import PrivacyLoss
    from leastnoise.privacy.verification import Verification
    from leastnoise.randomness.source import Source
    from leastnoise.release.ask.clip import Clip
    from leastnoise.release.ask.csv_form import CsvForm
    from leastnoise.release.ask.expression import coalesce, col, greatest, least, when
    from leastnoise.release.ask.keys import Keys
    from leastnoise.release.dataset.dataset_file import dataset
    from leastnoise.release.plan import plan
    from leastnoise.release.prepare import prepare
    from leastnoise.release.read import read
    from leastnoise.sizes.least_epsilon import least_epsilon
    from leastnoise.sizes.least_error import least_error
    from leastnoise.sizes.sample_size import sample_size
    from leastnoise.tabulation.marginals_asked import marginals

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "BackendError",
    "BudgetExceeded",
    "Certificate",
    "CertificateRejected",
    "Clip",
    "CsvForm",
    "GroupwiseZCDP",
    "Interval",
    "InvalidParameter",
    "Keys",
    "LeastNoiseError",
    "Ledger",
    "LedgerError",
    "Moment",
    "OwnCost",
    "PlanCertificate",
    "PrivacyLoss",
    "PureDP",
    "Source",
    "StreamCertificate",
    "TailProbability",
    "Undecided",
    "UnsupportedQuery",
    "Verification",
    "__version__",
    "above_threshold",
    "accounting",
    "attack_risk",
    "attacks",
    "audit",
    "auditing",
    "coalesce",
    "col",
    "dataset",
    "exponential_mechanism",
    "gaussian",
    "greatest",
    "groupwise",
    "laplace",
    "least",
    "least_epsilon",
    "least_error",
    "marginals",
    "mechanisms",
    "noise",
    "optimal",
    "permute_and_flip",
    "pictures",
    "plan",
    "planning",
    "prepare",
    "privacy",
    "randomized_response",
    "read",
    "relative_counts",
    "reports",
    "running_totals",
    "sample_size",
    "sparse_vector",
    "staircase",
    "suggest_delta",
    "tabulation",
    "theory",
    "when",
]

# Where each name lives. It is loaded when it is first used: all of the library takes half a second
# to load, and most programs need a fifth of it.
_HOMES = {
    "errors": (
        "BackendError",
        "BudgetExceeded",
        "CertificateRejected",
        "InvalidParameter",
        "LeastNoiseError",
        "LedgerError",
        "Undecided",
        "UnsupportedQuery",
    ),
    "numeric.cost": ("Moment", "OwnCost", "TailProbability"),
    "numeric.interval": ("Interval",),
    "randomness.source": ("Source",),
    "privacy.guarantee": ("ApproxDP", "GDP", "PureDP", "RDP", "ZCDP"),
    "privacy.groupwise": ("GroupwiseZCDP",),
    "privacy.loss": ("PrivacyLoss",),
    "privacy.verification": ("Verification",),
    "certificates.certificate": ("Certificate",),
    "certificates.plan_certificate": ("PlanCertificate",),
    "certificates.over_time.stream_certificate": ("StreamCertificate",),
    "least_noise.over_time.running_totals": ("running_totals",),
    "mechanisms.thresholds.above_threshold": ("above_threshold",),
    "mechanisms.choosing.exponential_mechanism": ("exponential_mechanism",),
    "mechanisms.choosing.permute_and_flip": ("permute_and_flip",),
    "mechanisms.response": ("randomized_response",),
    "mechanisms.thresholds.sparse_vector": ("sparse_vector",),
    "auditing.audit": ("audit",),
    "ledger.ledger": ("Ledger",),
    "release.ask.clip": ("Clip",),
    "release.ask.csv_form": ("CsvForm",),
    "release.ask.expression": ("coalesce", "col", "greatest", "least", "when"),
    "release.ask.keys": ("Keys",),
    "release.dataset.dataset_file": ("dataset",),
    "release.plan": ("plan",),
    "release.prepare": ("prepare",),
    "release.read": ("read",),
    "tabulation.marginals_asked": ("marginals",),
    "groupwise.relative_counts": ("relative_counts",),
    "planning.attack_risk": ("attack_risk",),
    "planning.choosing_delta": ("suggest_delta",),
    "sizes.least_epsilon": ("least_epsilon",),
    "sizes.least_error": ("least_error",),
    "least_noise.named_noise": ("gaussian", "laplace", "staircase"),
    "least_noise.optimal": ("optimal",),
    "sizes.sample_size": ("sample_size",),
}
_PACKAGES = {
    "accounting",
    "attacks",
    "auditing",
    "groupwise",
    "mechanisms",
    "noise",
    "pictures",
    "planning",
    "privacy",
    "reports",
    "tabulation",
    "theory",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
