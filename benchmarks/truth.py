"""Do 95 % intervals hold the table's truth, and are they no wider than that takes?

python -m benchmarks.truth [--releases 500] [--only means]

Each plan is measured once and drawn anew as often as said. Tables are made here, with the shapes of
real ones; three real ones come with the extra `bench`, and are left out where it is not installed.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping

from benchmarks.held import HEADINGS, Case, Held
from benchmarks.row import line_text, markdown, table_text
from benchmarks.truth_cuts import cost_rows, cut_cases, uncapped_cases
from benchmarks.truth_noise import (
    key_cases,
    mean_cases,
    quantile_cases,
    total_cases,
    variance_cases,
)
from benchmarks.truth_real import real_cases

TOPICS: Mapping[str, Callable[[], Iterator[Case]]] = {
    "totals": total_cases,
    "means": mean_cases,
    "variances": variance_cases,
    "quantiles": quantile_cases,
    "keys": key_cases,
    "real": real_cases,
    "cuts": cut_cases,
    "uncapped": uncapped_cases,
}


def main() -> None:
    """Measure all topics, or those that are named, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--releases", type=int, default=500, help="of each plan")
    parser.add_argument("--only", nargs="*", choices=TOPICS, default=list(TOPICS))
    said = parser.parse_args()
    cases = (case for name in said.only for case in TOPICS[name]())
    print(table_text(HEADINGS, []), flush=True)
    found = []
    for case in cases:
        found.append(Held.of(case, said.releases))
        print(line_text(found[-1].cells()), flush=True)
    if "cuts" in said.only:
        print(f"\n{markdown(list(cost_rows()))}")
    print(f"\n{sum(each.met for each in found)} met, {sum(not each.met for each in found)} missed")


if __name__ == "__main__":
    main()
