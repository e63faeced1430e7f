"""How the numbers were made, what is proved about them, and how to check it."""

from leastnoise.ledger.entry import Charge
from leastnoise.people import said_hash, said_law, said_share
from leastnoise.pictures.names import capital
from leastnoise.privacy.spoken import said, said_any
from leastnoise.release.result.forecast import shown_ratio
from leastnoise.release.result.plan_release import PlanRelease
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
from leastnoise.reports.numbers import moment
from leastnoise.reports.view import QuestionView

_MOST_PROOF = 20_000  # characters; longer proofs are files of their own
_RATIO = (
    "Where a ratio is given, it is proved that no noise added to one such number under the same "
    "share of the promise has an average error smaller than ours divided by the ratio. "
)
_HEADINGS = ("Question", "Noise", "Part of the budget", "Error beside the least possible")


def methods_section(release: PlanRelease, views: list[QuestionView]) -> Markup:
    """The section about mechanisms and certificates."""
    proved = any(view.table.ratio is not None for view in views)
    caption = "The noise in each table" + (", and how near it is to the least" if proved else "")
    headings = _HEADINGS if proved else _HEADINGS[:-1]
    table = headed_table(caption, headings, (_row(view, proved=proved) for view in views))
    return section(
        "methods",
        "How the noise was made",
        paragraphs(
            "Noise is drawn exactly, in whole numbers of a fine unit; the random bits come from "
            f"the operating system by a cryptographic generator. {_RATIO if proved else ''}"
            "release.json names each law with all of its digits."
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


def _row(view: QuestionView, *, proved: bool) -> Markup:
    share = "not known" if view.facts is None else said_share(view.facts.forecast.share)
    return element(
        "tr",
        element("th", view.table.name, scope="row"),
        element("td", _law(view)),
        element("td", share, class_="n"),
        *([element("td", _ratio(view))] if proved else []),
    )


def _law(view: QuestionView) -> str:
    """The noise in words, with its standard error if all numbers have the same."""
    errors = view.table.standard_error
    same = len(errors) > 0 and bool((errors == errors[0]).all()) and not view.table.dated
    return capital(said_law(view.table.mechanism, float(errors[0]) if same else None, view.measure))


def _ratio(view: QuestionView) -> str:
    ratio = view.table.ratio
    if ratio is None:
        return "no bound is proved"
    excess = float(ratio - 1)
    if excess < 1e-9:
        return "the least possible (ratio 1)"
    return f"at most {shown_ratio(ratio)} times the least possible"


def ledger_section(release: PlanRelease) -> Markup:
    """The section about the budget."""
    entry, event = release.entry, release.entry.event
    about = [
        ("Data", release.facts.dataset or "not named"),
        ("Line of the ledger", f"{entry.number:,}"),
        ("Written", moment(entry.time)),
    ]
    if isinstance(event, Charge):
        about += [("Purpose", event.purpose), ("Spent", said_any(event.costs))]
        about += [(f"Charged to {name}", value) for name, value in sorted(event.labels.items())]
    about.append(("Left after it", said(release.left)))
    if entry.seal:
        about.append(("Seal of the line", element("code", said_hash(entry.seal), title=entry.seal)))
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
                (
                    "Fingerprint of the plan",
                    element("code", said_hash(release.digest), title=release.digest),
                ),
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
    summary = element("summary", joined(("Certificate ", element("code", said_hash(name)))))
    if len(proof) > _MOST_PROOF:
        proof = "This one is long; it is in release.json, under “proof”."
    return element("details", summary, element("pre", proof), class_="proof")
