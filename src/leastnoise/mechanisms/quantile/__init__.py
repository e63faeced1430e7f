"""Quantiles from counts on a public grid."""
