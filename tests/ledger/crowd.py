"""Many processes that charge one ledger at the same moment, forked from a warm one.

Usage: python -m tests.ledger.crowd PLACE PROCESSES EACH. Prints the numbers of all lines that were
granted, and how long it took from the common start to the last charge.
"""

import json
import os
import sys

from leastnoise.errors import BudgetExceeded
from leastnoise.ledger import Ledger
from leastnoise.privacy import PureDP

COST = PureDP(epsilon="0.01")


def charged(place: str, each: int) -> list[int]:
    ledger, found = Ledger(place), []
    for _ in range(each):
        try:
            found.append(ledger.charge(COST, purpose="concurrent").number)
        except BudgetExceeded:
            break
    return found


def member(place: str, each: int, start: int, result: int) -> None:
    """One process: waits for the start, charges, reports."""
    os.read(start, 1)
    os.write(result, json.dumps(charged(place, each)).encode() + b"\n")
    os._exit(0)


def main(place: str, processes: int, each: int) -> None:
    Ledger(place)  # whatever has to be loaded is loaded once, before anybody is forked
    (waiting, start), (reports, result) = os.pipe(), os.pipe()
    children = []
    for _ in range(processes):
        child = os.fork()
        if not child:
            member(place, each, waiting, result)
        children.append(child)
    os.write(start, b"!" * processes)
    os.close(result)
    with os.fdopen(reports) as lines:
        numbers = [number for line in lines for number in json.loads(line)]
    for child in children:
        os.waitpid(child, 0)
    print(json.dumps({"granted": numbers}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
