"""How the numbers were made, what is proved about them, and how to check it."""

import re

from leastnoise.ledger.entry import Charge
from leastnoise.pictures.names import capital, spaced
from leastnoise.release.result.forecast import shown_ratio
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports.markup import (
    Markup,
    element,
    facts,
    headed_table,
    joined,
    paragraphs,
    scrolled,
    section,
)
from leastnoise.reports.numbers import moment, powers

_MOST_PROOF = 20_000  # characters; longer proofs are files of their own
_HEADINGS = ("table", "noise", "error beside the least possible", "certificate")


def methods_section(release: PlanRelease) -> Markup:
    """The section about mechanisms and certificates."""
    caption = "The law of the noise in each table, and how near it is to the least"
    table = headed_table(caption, _HEADINGS, map(_row, release.tables))
    return section(
        "methods",
        "How the noise was made",
        paragraphs(
            "Noise is drawn exactly, in whole numbers of a fine unit, from the laws named here; "
            "the random bits come from the operating system by a cryptographic generator. Where a "
            "ratio is given, it is proved that no noise added to one such number under the same "
            "share of the promise has an average error smaller than ours divided by the ratio."
        ),
        scrolled(table, name="The noise"),
        *_whole_plan(release),
    )


def _whole_plan(release: PlanRelease) -> list[Markup]:
    """What is proved of all noise together."""
    proof = release.certificate
    if proof is None:
        return []
    told = (
        f"The variances of all tables together, each with its weight, are proved to be at most "
        f"{shown_ratio(proof.ratio)} times the least, beside {proof.scope}."
    )
    tables = enumerate(release.tables)
    names = [table.name for place, table in tables if place in proof.outside]
    outside = [f"Nothing is proved of {', '.join(names)}."] if names else []
    return [paragraphs(" ".join([told, *outside]))]


def _row(table: ReleasedTable) -> Markup:
    return element(
        "tr",
        element("th", table.name, scope="row"),
        element("td", _law(table.mechanism), element("code", table.mechanism)),
        element("td", _ratio(table)),
        element("td", _identity(table)),
    )


def _law(mechanism: str) -> Markup:
    """The name of a law in words, if the description begins with one."""
    found = re.match(r"((?:[A-Z][a-z]+)+)\(", mechanism)
    if found is None:
        return Markup("")
    return joined((capital(spaced(found[1])), " noise", element("br")))


def _ratio(table: ReleasedTable) -> str:
    if table.ratio is None:
        return "no bound is proved"
    excess = float(table.ratio - 1)
    if excess < 1e-9:
        return "the least possible (ratio 1)"
    return f"at most {1 + excess:.4g} times the least possible"


def _identity(table: ReleasedTable) -> str:
    found = table.certificate_id
    return "none" if found is None else element("code", found[:16] + "…")


def ledger_section(release: PlanRelease) -> Markup:
    """The section about the budget."""
    entry, event = release.entry, release.entry.event
    about = [
        ("Data", release.facts.dataset or "not named"),
        ("Line of the ledger", f"{entry.number:,}"),
        ("Written", moment(entry.time)),
        ("Seal of the line", element("code", entry.seal or "none")),
    ]
    if isinstance(event, Charge):
        about += [("Purpose", event.purpose), ("Spent", powers(str(event.cost)))]
        about += [(f"Charged to {name}", value) for name, value in sorted(event.labels.items())]
    about.append(("Left after it", powers(str(release.left))))
    return section(
        "ledger",
        "What it cost, and what is left",
        paragraphs(
            "Every release uses up a part of a fixed budget. The charge was written to a ledger "
            "before any noise was drawn; lines can be added to it but never changed or taken back."
        ),
        facts(about),
    )


def checking_section(release: PlanRelease) -> Markup:
    """The section about verification."""
    return section(
        "checking",
        "How to check this",
        facts(
            [
                ("Made with", f"leastnoise {release.facts.version}"),
                ("Fingerprint of the plan", element("code", release.digest)),
            ]
        ),
        paragraphs(
            "Whoever has the ledger can check that no line of it was changed, and that this "
            "fingerprint stands in it:"
        ),
        element("pre", "leastnoise budget budget.db"),
        *_proofs(release.certificates),
        *_plan_proof(release),
    )


def _plan_proof(release: PlanRelease) -> list[Markup]:
    if release.certificate is None:
        return []
    told = paragraphs("The proof about the whole plan is in release.json, with all others:")
    return [told, element("pre", "leastnoise check release.json")]


def _proofs(certificates: dict[str, str]) -> list[str]:
    if not certificates:
        return []
    told = paragraphs(
        "The certificates prove how near the noise is to the least possible. Anyone can check "
        "them, without the data and without trusting whoever made them: copy one into a file, then"
    )
    command = element("pre", "leastnoise check certificate.json")
    return [told, command, *(_proof(name, proof) for name, proof in certificates.items())]


def _proof(name: str, proof: str) -> str:
    summary = element("summary", joined(("Certificate ", element("code", name))))
    if len(proof) > _MOST_PROOF:
        proof = "This one is long; it is in release.json, under “proof”."
    return element("details", summary, element("pre", proof))
