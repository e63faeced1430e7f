"""Dividing a budget: searches whose results are priced again elsewhere. Not trusted."""
