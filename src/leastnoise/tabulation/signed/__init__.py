"""Marginals of several columns under pure ε: signed tables, their joint noise, least squares."""
