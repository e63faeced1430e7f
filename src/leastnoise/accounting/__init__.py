"""Adding prices up: composition theorems, and budgets that never overrun."""

from leastnoise.accounting.composition import advanced, basic, compare, optimal

__all__ = ["advanced", "basic", "compare", "optimal"]
