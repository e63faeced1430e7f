"""Audits: does a mechanism keep its promise? From outside by its outputs, from inside exactly."""

from leastnoise.auditing.audit import audit
from leastnoise.auditing.audit_report import Audit
from leastnoise.auditing.command import Command
from leastnoise.auditing.judged_event import JudgedEvent
from leastnoise.auditing.object_columns import Raised
from leastnoise.auditing.power import Power

__all__ = ["Audit", "Command", "JudgedEvent", "Power", "Raised", "audit"]
