"""Certificates of optimality: what was achieved, what no one can beat, and why.

Makers (`make_…`) search with floats and linear programs and are not trusted. Checkers (`check…`)
redo every inequality in exact arithmetic and import no maker.
"""
