"""Audits: does a mechanism keep its promise? From outside by its outputs, from inside exactly."""

from leastnoise.auditing.audit import audit
from leastnoise.auditing.audit_report import Audit
from leastnoise.auditing.command import Command
from leastnoise.auditing.exact_audit import ExactAudit
from leastnoise.auditing.judged_event import JudgedEvent
from leastnoise.auditing.object_columns import Raised
from leastnoise.auditing.plan_audit import Movement, PlanAudit
from leastnoise.auditing.plans import audit_measurements, audit_plan
from leastnoise.auditing.power import Power
from leastnoise.auditing.registry import Case, registry

__all__ = [
    "Audit",
    "Case",
    "Command",
    "ExactAudit",
    "JudgedEvent",
    "Movement",
    "PlanAudit",
    "Power",
    "Raised",
    "audit",
    "audit_measurements",
    "audit_plan",
    "registry",
]
