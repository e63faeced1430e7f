"""Who is protected, from what, and how well: in words and in symbols."""

from collections.abc import Iterator
from typing import assert_never

from leastnoise.planning.attack_risk import attack_risk, percent
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, Guarantee, PureDP, exact_text
from leastnoise.release.ask.neighbours import Neighbours
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.release_facts import ReleaseFacts
from leastnoise.reports.markup import Markup, element, facts, joined, paragraphs, section
from leastnoise.reports.numbers import one_in, powers


def promise_section(release: PlanRelease) -> Markup:
    """The section about privacy."""
    return section(
        "promise",
        "Who is protected, and how well",
        paragraphs(protected(release.facts)),
        element(
            "div", paragraphs(*risk_words(release)), _risk_bar(release.guarantee), class_="key"
        ),
        paragraphs(
            "This holds against anyone, whatever else they know and however long they compute, "
            "and for all tables of this release together. It does not depend on keeping the method "
            "secret.",
            *_about_delta(release.guarantee),
        ),
        facts(
            [
                ("In technical words", powers(str(release.guarantee))),
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
        "of one person (or whatever the column identifies), taken together."
    )


def risk_words(release: PlanRelease) -> tuple[str, str]:
    """What an attacker could learn, in two sentences."""
    what = "row" if release.facts.unit is None else "person"
    if release.facts.neighbours == Neighbours.REPLACE.name.lower():
        return attack_risk(release.guarantee).words(
            suspicion=f"the data of a given {what} are of one kind rather than of another",
            right="those whose data are of that kind",
        )
    return attack_risk(release.guarantee).words(
        suspicion=f"a given {what} is in the data", right="those that are in the data"
    )


def _risk_bar(guarantee: Guarantee) -> Markup:
    """From a guess before the release, 50 %, to the best one after it."""
    risk = attack_risk(guarantee)
    after = risk.sure() or risk.right()
    words = f"A bar from 50 %, before the release, to at most {percent(after)}, after it."
    end = min(100.0, 100 * float(after.upper))
    drawing = element(
        "svg",
        element("rect", x="0", y="8", width="100", height="6", class_="scale"),
        element("rect", x="0", y="8", width=f"{end:.1f}", height="6", class_="after"),
        element("rect", x="0", y="8", width="50", height="6", class_="before"),
        viewBox="0 0 100 16",
        preserveAspectRatio="none",
        role="img",
        aria_label=words,
    )
    legend = (
        f"dark: before the release, 50 %; with the paler part: after it, at most {percent(after)}; "
        "the whole bar: certainty"
    )
    return element("figure", drawing, element("figcaption", legend, class_="small"))


def _relation(facts_: ReleaseFacts) -> str:
    for relation in Neighbours:
        if relation.name.lower() == facts_.neighbours:
            return relation.value
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
    return Markup(powers(_definition(guarantee)))


def _definition(guarantee: Guarantee) -> Markup:
    ratio = joined(("for all neighbours D, D′ and all sets S of results: P(M(D) ∈ S) ≤ e",
                    element("sup", "ε"), "·P(M(D′) ∈ S)"))  # fmt: skip
    match guarantee:
        case PureDP():
            return joined((ratio, f", with ε = {exact_text(guarantee.epsilon)}"))
        case ApproxDP():
            numbers = f"ε = {exact_text(guarantee.epsilon)}, δ = {exact_text(guarantee.delta)}"
            return joined((ratio, f" + δ, with {numbers}"))
        case ZCDP():
            return _renyi("ρ·α for every α > 1", f"ρ = {exact_text(guarantee.rho)}",
                          exact_text(guarantee.delta) if guarantee.delta else "")  # fmt: skip
        case RDP():
            order = guarantee.order if isinstance(guarantee.order, float) else exact_text(
                guarantee.order)  # fmt: skip
            return _renyi(f"ε at order α = {order}", f"ε = {exact_text(guarantee.epsilon)}")
        case GDP():
            return joined(
                ("for all neighbours D, D′: telling M(D) from M(D′) is at least as hard as telling "
                 "N(0, 1) from N(μ, 1), with μ = ", exact_text(guarantee.mu))
            )  # fmt: skip
        case _:
            assert_never(guarantee)


def _renyi(bound: str, numbers: str, delta: str = "") -> Markup:
    except_for = f", up to events of probability δ = {delta}" if delta else ""
    divergence = joined(("D", element("sub", "α"), "(M(D) ‖ M(D′)) ≤ "))
    return joined(
        ("for all neighbours D, D′: ", divergence, f"{bound}, with {numbers}{except_for}")
    )
