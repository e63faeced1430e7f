"""Marginals of several columns by residuals: the planner, its noise and its answers."""
