"""Audits of other libraries' mechanisms, from outside: what was found, with versions.

Run it as it is, or with the path of another Python interpreter that has diffprivlib:

    python examples/audit_peers.py /path/to/python
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from leastnoise.auditing import Audit, Command, audit
from leastnoise.privacy.loss import PrivacyLoss

SAMPLES = 40_000

FLOAT_LAPLACE = """
import sys
from diffprivlib.mechanisms import Laplace
mechanism = Laplace(epsilon=1.0, delta=0.0, sensitivity=1.0)
for _ in range(int(sys.argv[2])):
    print(float(mechanism.randomise(float(sys.argv[1]))))
"""


@dataclass(frozen=True)
class Finding:
    """One audit of one thing."""

    library: str
    thing: str
    verdict: str
    violated: bool


def main() -> None:
    """Audit what is installed, and print one paragraph for each."""
    others = sys.argv[1:2]
    for finding in (*opendp(), *dp_accounting(), *(diffprivlib(others[0]) if others else ())):
        print(f"{finding.library}: {finding.thing}\n    {finding.verdict}")


def opendp(samples: int = SAMPLES) -> Iterator[Finding]:
    """Noise on integers and floats, and noisy counts with a threshold."""
    name = _named("opendp")
    if name is None:
        return
    dp: Any = import_module("opendp.prelude")

    dp.enable_features("contrib", "honest-but-curious")
    for kind, data in ((int, (0, 1)), (float, (0.0, 1.0))):
        domain = dp.vector_domain(
            dp.atom_domain(T=kind, **({"nan": False} if kind is float else {}))
        )
        noise = dp.m.make_laplace(domain, dp.l1_distance(T=kind), scale=1.0)
        found = audit(
            lambda value, size, noise=noise: noise([value] * size),
            neighbours=data,
            epsilon=noise.map(kind(1)),
            samples=samples,
            vectorised=True,
        )
        yield _finding(name, f"make_laplace(scale=1) on {kind.__name__}", found)
    counts = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    metric = dp.l01inf_distance(dp.absolute_distance(T=int))
    shown = dp.m.make_laplace_threshold(counts, metric, scale=1.0, threshold=5)
    epsilon, delta = shown.map((1, 1, 1))
    found = audit(
        shown,
        neighbours=({"a": 1}, {}),
        epsilon=epsilon,
        delta=delta,
        samples=10 * samples,  # a key of one person is shown in one of a hundred releases
        sequential=True,
    )
    yield _finding(name, "make_laplace_threshold(scale=1, threshold=5)", found)


def dp_accounting() -> Iterator[Finding]:
    """An accountant's ε beside the exact one: ten answers by randomized response."""
    name = _named("dp-accounting")
    if name is None:
        return
    import dp_accounting as accounting  # noqa: PLC0415 - optional
    from dp_accounting import pld  # noqa: PLC0415 - optional

    event = accounting.RandomizedResponseDpEvent(0.5, 2)
    accountant = pld.PLDAccountant(accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(event, 10)
    reported = accountant.get_epsilon(1e-6)
    # With probability 1/2 the truth, else one of both answers: 3/4 against 1/4.
    exact = PrivacyLoss.of_laws({0: 3, 1: 1}, {0: 1, 1: 3}).self_compose(10)
    allowed = float(exact.epsilon("1e-6").lower)
    words = f"reports ε = {reported:.6g} at δ = 1e-6; the exact ε is at least {allowed:.6g}"
    yield Finding(
        name, "PLDAccountant, randomized response composed 10 times", words, reported < allowed
    )


def diffprivlib(python: str, samples: int = 4_000) -> Iterator[Finding]:
    """Floating-point Laplace noise, drawn in another interpreter."""
    program = Command([python, "-c", FLOAT_LAPLACE, "{data}", "{size}"])
    found = audit(program, neighbours=(0.0, 1.0), epsilon=1, samples=samples)
    yield _finding("diffprivlib", "Laplace(epsilon=1, sensitivity=1)", found)


def _named(package: str) -> str | None:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        print(f"{package}: not installed here")
        return None


def _finding(library: str, thing: str, found: Any) -> Finding:
    assert isinstance(found, Audit)
    return Finding(library, thing, str(found), found.violated)


if __name__ == "__main__":
    main()
