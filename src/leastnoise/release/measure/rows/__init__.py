"""Rows made of several tables, each with its owner: one way of making them per file."""
