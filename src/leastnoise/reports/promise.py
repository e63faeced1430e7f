"""Who is protected, from what, and how well: in words and in symbols."""

from collections.abc import Iterator
from typing import assert_never

from leastnoise.planning.attack_risk import attack_risk
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP
from leastnoise.privacy.spoken import said
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_facts import ReleaseFacts
from leastnoise.reports.markup import Markup, element, facts, joined, paragraphs, section
from leastnoise.reports.numbers import one_in


def promise_section(release: PlanRelease) -> Markup:
    """The section about privacy."""
    return section(
        "promise",
        "Who is protected, and how well",
        paragraphs(protected(release.facts)),
        element("div", paragraphs(*risk_words(release)), class_="key"),
        paragraphs(
            "This holds against anyone, whatever else they know and however long they compute, "
            "and for all tables of this release together. It does not depend on keeping the method "
            "secret.",
            *_about_delta(release.guarantee),
        ),
        facts(
            [
                ("In technical words", str(release.guarantee)),
                ("In symbols", symbols(release.guarantee)),
                ("Neighbouring tables D, D′", f"differ in this: {_relation(release.facts)}"),
            ]
        ),
        element(
            "p",
            "What this does not promise: conclusions about groups of people can be drawn from the "
            "tables, and may concern members of these groups who are not in the data at all.",
            class_="small",
        ),
    )


def protected(facts_: ReleaseFacts) -> str:
    """The privacy unit in a sentence."""
    if facts_.unit is None:
        return "Protected is every single row of the data."
    return (
        f"Protected is everything that has the same value in the column “{facts_.unit}”: all rows "
        f"of one {facts_.person}, taken together."
    )


def risk_words(release: PlanRelease) -> tuple[str, str]:
    """What an attacker could learn, in two sentences."""
    what = release.facts.person
    if release.facts.neighbours == Neighbours.REPLACE.name.lower():
        return attack_risk(release.guarantee).words(
            suspicion=f"the data of a given {what} are of one kind rather than of another",
            right="those whose data are of that kind",
        )
    return attack_risk(release.guarantee).words(
        suspicion=f"a given {what} is in the data", right="those that are in the data"
    )


def _relation(facts_: ReleaseFacts) -> str:
    for relation in Neighbours:
        if relation.name.lower() == facts_.neighbours:
            unit = "unit" if facts_.unit is None else facts_.person
            return relation.value.replace("unit", unit)
    return facts_.neighbours


def _about_delta(guarantee: Guarantee) -> Iterator[str]:
    if isinstance(guarantee, ApproxDP | ZCDP) and guarantee.delta:
        odds = one_in(guarantee.delta)
        yield (
            f"The number δ is the room that is left for rare failures: it is {odds}. "
            "It must be far smaller than 1 divided by the number of people in the data."
        )


def symbols(guarantee: Guarantee) -> Markup:
    """The definition of a guarantee."""
    ratio = joined(("for all neighbours D, D′ and all sets S of results: P(M(D) ∈ S) ≤ e",
                    element("sup", "ε"), "·P(M(D′) ∈ S)"))  # fmt: skip
    numbers = f", with {said(guarantee)}"
    match guarantee:
        case PureDP():
            return joined((ratio, numbers))
        case ApproxDP():
            return joined((ratio, f" + δ{numbers}"))
        case ZCDP():
            rare = ", up to events of probability δ" if guarantee.delta else ""
            return _renyi(f"ρ·α for every α > 1{rare}{numbers}")
        case RDP():
            return _renyi(f"ε at the order α{numbers}")
        case GDP():
            return joined(
                ("for all neighbours D, D′: telling M(D) from M(D′) is at least as hard as telling "
                 f"N(0, 1) from N(μ, 1){numbers}",)
            )  # fmt: skip
        case _:
            assert_never(guarantee)


def _renyi(bound: str) -> Markup:
    divergence = joined(("D", element("sub", "α"), "(M(D) ‖ M(D′)) ≤ "))
    return joined(("for all neighbours D, D′: ", divergence, bound))
