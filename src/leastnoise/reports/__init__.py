"""Pages about what was released, for people who have to answer for it; see docs/report.md."""

from leastnoise.reports.notebooks import notebook_html
from leastnoise.reports.report import report_html, write_report
from leastnoise.reports.steps import steps_html

__all__ = ["notebook_html", "report_html", "steps_html", "write_report"]
