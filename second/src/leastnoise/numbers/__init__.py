"""Exact inputs, intervals, and real numbers as balls."""
