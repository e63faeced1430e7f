"""The budget ledger: what was spent, by whom, on what; the one thing here that changes."""

from leastnoise.ledger.account import Balance
from leastnoise.ledger.entry import Cap, Charge, Entry, Kept
from leastnoise.ledger.ledger import Ledger
from leastnoise.ledger.mode import Mode
from leastnoise.ledger.scope import Scope
from leastnoise.ledger.split import Split

__all__ = ["Balance", "Cap", "Charge", "Entry", "Kept", "Ledger", "Mode", "Scope", "Split"]
