"""Which noise many questions get together."""

from leastnoise.workloads.one_way import one_way_marginals as one_way_marginals
from leastnoise.workloads.plan_noise import joint_noise
from leastnoise.workloads.residual import ResidualPlan
from leastnoise.workloads.stream import running_totals as running_totals

__all__ = ["ResidualPlan", "joint_noise"]
