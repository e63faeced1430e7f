"""Promises of privacy, tested from outside."""

from leastnoise.auditing.audit import audit as audit
