"""Exact totals of bounded contributions, computed where the data are. Trusted."""
