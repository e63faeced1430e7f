"""The budget ledger: what was spent, by whom, on what; the one thing here that changes."""

from leastnoise.ledger.entry import Cap, Charge, Entry
from leastnoise.ledger.ledger import Ledger

__all__ = ["Cap", "Charge", "Entry", "Ledger"]
