"""The words of a report that not every reader knows."""

from leastnoise.people import GRADES
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.reports.markup import Markup, facts, section


def glossary_section(release: PlanRelease) -> Markup:
    """The section with one line for each word."""
    who = release.facts.person
    words = [
        ("Noise", "a random amount that was added to each number, so that no single " + who
         + " can be seen in it"),
        ("95 % interval", "in 95 of 100 releases it holds the true number of the data, noise and, "
         "where it was measured, what the limits cut included"),
        ("Limits, cut", f"how much of one {who} counts at most; what is beyond is cut"),
        ("Kept", "the share of rows or groups that the limits left in"),
        ("Grade", "; ".join(f"{letter}: {word}" for letter, word in GRADES.items())
         + ". By half the width of the interval over the number: A to 5 %, B to 15 %, C to 25 %"),
        ("Budget", "how much may be learned from all releases of these data together; each release "
         "spends a part, for good"),
        ("Ledger", "the list of everything that was spent, which nobody can change unnoticed"),
        *_letters(release),
    ]  # fmt: skip
    return section("glossary", "Words", facts(words))


def _letters(release: PlanRelease) -> list[tuple[str, str]]:
    who, promise = release.facts.person, release.guarantee
    if isinstance(promise, ZCDP):
        found = [("ρ", f"how much one {who} can change the results, on average; smaller is safer")]
    elif isinstance(promise, GDP):
        found = [("μ", f"how well results with and without one {who} can be told apart")]
    else:
        found = [("ε", f"how much one {who} can change the results; smaller is safer")]
    if isinstance(promise, ApproxDP | ZCDP) and promise.delta:
        found.append(("δ", "the room for rare failures of the promise"))
    if isinstance(promise, RDP):
        found.append(("Order", "which average of the change is meant; larger is stricter"))
    return found
