"""Which noise many questions get together."""

from leastnoise.workloads.stream import running_totals

__all__ = ["running_totals"]
