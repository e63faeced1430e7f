"""Promises of privacy, tested from outside."""
