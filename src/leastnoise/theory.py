"""The theorems of differential privacy as functions, each in its corrected and sharpest form.

Names that other places have, too:

- `optimal`, also called `optimal_composition`, is the optimal *composition* of promises (ε, δ),
  beside `basic` and `advanced`; `leastnoise.optimal` finds the least noise for a query.
- `staircase` here is the law on the real line or in R^d, its best γ and its cost, for reading and
  comparing. `leastnoise.staircase` is a mechanism that adds staircase noise on a lattice and can be
  released with. `leastnoise.noise.Staircase` is that noise's law on the integers.
- `advanced`, `basic` and `compose` are theorems about promises; mechanisms compose better by their
  losses, `PrivacyLoss.compose`.

Example:
    >>> from leastnoise import theory
    >>> round(float(theory.group_privacy(epsilon=1, delta="1e-6", size=5)), 8)
    8.579e-05
    >>> theory.zcdp_to_approx(theory.ZCDP(rho="0.5"), delta="1e-6")
    ApproxDP(epsilon='5.22153444453017', delta='0.000001')
"""

from leastnoise.accounting.composition import (
    AdvancedComposition,
    BasicComposition,
    Comparison,
    OptimalComposition,
    advanced,
    basic,
    optimal,
)
from leastnoise.accounting.composition import compare as compose
from leastnoise.accounting.composition import optimal as optimal_composition
from leastnoise.accounting.gaussian_calibration import (
    classical_gaussian_range,
    classical_gaussian_sigma,
    gaussian_sigma,
)
from leastnoise.accounting.gaussian_calibration import gaussian_noise_delta as gaussian_delta
from leastnoise.accounting.gaussian_calibration import gaussian_noise_epsilon as gaussian_epsilon
from leastnoise.least_noise.scalar.noise_bounds import (
    NoiseBounds,
    UniformBounds,
    noise_bounds,
    ratio_limit,
    uniform_bounds,
)
from leastnoise.least_noise.staircase.independent_staircases import independent_staircases
from leastnoise.least_noise.staircase.staircase_limits import (
    staircase_large_epsilon,
    staircase_limit_gamma,
    staircase_small_epsilon,
)
from leastnoise.least_noise.staircase.staircase_theory import StaircaseTheory, staircase
from leastnoise.least_noise.vector.expected_norms import gaussian_norm, laplace_max, laplace_norm
from leastnoise.least_noise.vector.uniform_cube import uniform_cube
from leastnoise.least_noise.vector.worthwhile_epsilon import worthwhile_epsilon
from leastnoise.planning.choosing_delta import exposure_probability
from leastnoise.privacy.curves.curve import PrivacyCurve
from leastnoise.privacy.divergence import loss_at
from leastnoise.privacy.group import group, group_curve, group_privacy
from leastnoise.privacy.group_forms import GroupForms, group_forms
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.implications import (
    after_processing,
    approx_to_tail,
    approx_to_two_sided_tail,
    approx_to_zcdp,
    gdp_to_zcdp,
    mu_of_pure,
    pure_to_gdp,
    pure_to_rdp,
    pure_to_zcdp,
    rho_of_pure,
    tail_condition_to_approx,
    zcdp_to_rdp,
)
from leastnoise.privacy.path_prices import (
    laplace_to_gdp,
    laplace_to_zcdp,
    mu_of_laplace,
    rho_of_laplace,
)
from leastnoise.privacy.to_approx import (
    approx_to_approx,
    curve_of,
    gdp_to_approx,
    pure_to_approx,
    rdp_to_approx,
    zcdp_to_approx,
)

__all__ = [
    "GDP",
    "RDP",
    "ZCDP",
    "AdvancedComposition",
    "ApproxDP",
    "BasicComposition",
    "Comparison",
    "GroupForms",
    "Guarantee",
    "NoiseBounds",
    "OptimalComposition",
    "PrivacyCurve",
    "PureDP",
    "StaircaseTheory",
    "UniformBounds",
    "advanced",
    "after_processing",
    "approx_to_approx",
    "approx_to_tail",
    "approx_to_two_sided_tail",
    "approx_to_zcdp",
    "basic",
    "classical_gaussian_range",
    "classical_gaussian_sigma",
    "compose",
    "curve_of",
    "exposure_probability",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_norm",
    "gaussian_sigma",
    "gdp_to_approx",
    "gdp_to_zcdp",
    "group",
    "group_curve",
    "group_forms",
    "group_privacy",
    "independent_staircases",
    "laplace_max",
    "laplace_norm",
    "laplace_to_gdp",
    "laplace_to_zcdp",
    "loss_at",
    "mu_of_laplace",
    "mu_of_pure",
    "noise_bounds",
    "optimal",
    "optimal_composition",
    "pure_to_approx",
    "pure_to_gdp",
    "pure_to_rdp",
    "pure_to_zcdp",
    "ratio_limit",
    "rdp_to_approx",
    "rho_of_laplace",
    "rho_of_pure",
    "staircase",
    "staircase_large_epsilon",
    "staircase_limit_gamma",
    "staircase_small_epsilon",
    "tail_condition_to_approx",
    "uniform_bounds",
    "uniform_cube",
    "worthwhile_epsilon",
    "zcdp_to_approx",
    "zcdp_to_rdp",
]
