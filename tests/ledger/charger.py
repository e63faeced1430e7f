"""A process that charges a ledger until it is told to stop: for concurrency and kills.

Usage: charger.py PLACE COUNT. Prints one line after every charge that was granted.
"""

import sys

from leastnoise.errors import BudgetExceeded
from leastnoise.ledger import Ledger
from leastnoise.privacy import PureDP


def main(place: str, count: int) -> None:
    ledger = Ledger(place)
    for _ in range(count):
        try:
            entry = ledger.charge(PureDP(epsilon="0.01"), purpose="concurrent")
        except BudgetExceeded:
            print("refused", flush=True)
            return
        print(entry.number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
