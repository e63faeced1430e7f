"""`Step`: one draw of a release: what is measured, what answers, and the price claimed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, Union

from leastnoise._dataclass import dataclass
from leastnoise.mechanisms.adding.cell_noise import CellNoise
from leastnoise.mechanisms.choosing.top_selection import TopSelection
from leastnoise.mechanisms.joint.joint_part import JointPart
from leastnoise.mechanisms.partitions.counted_partitions import CountedPartitions
from leastnoise.mechanisms.partitions.partition_selection import PartitionSelection
from leastnoise.mechanisms.quantile.quantiles import Quantiles
from leastnoise.privacy.guarantee import ZCDP, ApproxDP, PureDP
from leastnoise.release.step.asked import Asked
from leastnoise.tabulation.residuals.residual_planner import ResidualPlanner
from leastnoise.tabulation.signed.pure_marginals import PureMarginals

if TYPE_CHECKING:  # a tenth of a second that most plans need not wait
    from leastnoise.groupwise.relative_counts import RelativeCounts

Answering: TypeAlias = Union[
    CellNoise,
    JointPart,
    PartitionSelection,
    CountedPartitions,
    TopSelection,
    Quantiles,
    ResidualPlanner,
    PureMarginals,
    "RelativeCounts",
]
"""The mechanisms that the gate can price."""


@dataclass(frozen=True, eq=False)
class Step:
    """One draw. A step is itself and no other: two equal ones are still two draws.

    Attributes:
        asked: what is measured; all of its cells are answered as one vector.
        mechanism: what answers, with all of its noise.
        claim: the promise that whoever made the step says this draw keeps by itself; of a part of a
            joint draw, all of it.
        among: the earlier step that chooses which groups are answered; None for all of them.
    """

    asked: Asked
    mechanism: Answering
    claim: PureDP | ApproxDP | ZCDP
    among: Step | None = None


def is_relative(mechanism: Answering) -> TypeGuard[RelativeCounts]:
    """Whether its error is in proportion to the count: none is so, if none is loaded."""
    module = sys.modules.get("leastnoise.groupwise.relative_counts")
    return module is not None and isinstance(mechanism, module.RelativeCounts)
