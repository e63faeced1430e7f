"""Who was in the table? Told from exact means, and not told from private ones of the same table."""

import numpy as np
from numpy.typing import NDArray

from leastnoise.attacks import auc, greatest_auc, trace
from leastnoise.tabulation import marginals

PEOPLE, ATTRIBUTES = 100, 20_000
RISK = "1e-6"

Bits = NDArray[np.bool_]
Means = NDArray[np.float64]


def main() -> None:
    """Publish the means of one table in three ways, and attack each."""
    people, others, means = population()
    print(f"{PEOPLE} people, {ATTRIBUTES} bits each; {len(others)} outsiders from the same")
    print("population. An attacker who knows the population's means, and the bits of a suspect,")
    print(f"accuses if that is wrong for an outsider with probability {RISK} at most.\n")
    print(f"{'release':<34}{'area under curve':>17}{'members accused':>17}{'outsiders':>11}")
    attack("exact means", people.mean(axis=0), people, others, means)

    pure = marginals(people, epsilon=1)
    attack("ε = 1: cube noise", pure.means, people, others, means)

    bounded = marginals(people, epsilon=1, delta="1e-6")
    attack("ε = 1, δ = 1e-6: bounded noise", bounded.means, people, others, means)
    attack("   the same, cut to [0, 1]", bounded.clipped_means, people, others, means)

    most = float(greatest_auc(epsilon=1))
    print(f"\nNo attack on an ε = 1 release can expect more than {most:.3f}; 0.5 is guessing.")


def population() -> tuple[Bits, Bits, Means]:
    """A made-up population: bits with random means; the people in the table, and outsiders."""
    generator = np.random.default_rng(7)  # test data, not noise: nothing here needs to be secret
    means = generator.random(ATTRIBUTES)
    everybody = generator.random((5 * PEOPLE, ATTRIBUTES)) < means
    return everybody[:PEOPLE], everybody[PEOPLE:], means


def attack(name: str, release: Means, people: Bits, others: Bits, means: Means) -> None:
    """Score members and outsiders, and print how well they are told apart."""
    inside = trace(release, people, means, false_accusation=RISK)
    outside = trace(release, others, means, false_accusation=RISK)
    area = float(auc(inside.scores, outside.scores))
    caught, framed = int(inside.accused.sum()), int(outside.accused.sum())
    print(f"{name:<34}{area:>17.3f}{caught:>13}/{len(people)}{framed:>7}/{len(others)}")


if __name__ == "__main__":
    main()
