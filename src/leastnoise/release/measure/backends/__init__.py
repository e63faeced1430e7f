"""Engines that sum where the data are: one module each."""
