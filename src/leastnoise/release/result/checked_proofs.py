"""The proofs that a release carries, all checked anew."""

from collections.abc import Iterator
from fractions import Fraction

from leastnoise.certificates.check import Check
from leastnoise.release.result.plan_release import PlanRelease


def checked_proofs(release: PlanRelease) -> Check:
    """Whether every certificate of a release holds and is about this release.

    What is not proved is not judged: the numbers, and the laws that the noise is said to have.
    """
    complaint = next(filter(None, _complaints(release)), "")
    if complaint:
        return Check(False, complaint)
    proofs = len([table for table in release.tables if table.certificate is not None])
    plan = [] if release.certificate is None else [release.certificate.sentence]
    claims = [*plan, *([f"{proofs} tables have a proof of their own"] if proofs else [])]
    return Check(True, "every claim was computed anew and holds", "; ".join(claims))


def _complaints(release: PlanRelease) -> Iterator[str]:
    if release.certificate is None and all(each.certificate is None for each in release.tables):
        yield "the release carries no certificate"
    for table in release.tables:
        proof = table.certificate
        if proof is not None:
            verdict = proof.check()
            yield "" if verdict else f"a table's certificate: {verdict.finding}"
            yield "" if proof.ratio == table.ratio else "a table's ratio is not its certificate's"
    yield from _about_plan(release)


def _about_plan(release: PlanRelease) -> Iterator[str]:
    proof, told = release.certificate, release.facts.questions
    if proof is not None:
        verdict = proof.check()
        yield "" if verdict else f"the plan's certificate: {verdict.finding}"
        if proof.budget != release.guarantee:
            yield "the plan's certificate is for another promise"
        if proof.replaced != (release.facts.neighbours == "replace"):
            yield "the plan's certificate is for other neighbours"
        if len(proof.questions) + len(proof.outside) != len(told):
            yield "the plan's certificate is for other questions"
    for place, each in enumerate(told):
        if (each.forecast.times_least, each.forecast.among) != _proved(release, place):
            yield "what is told of a question is not what is proved"


def _proved(release: PlanRelease, place: int) -> tuple[Fraction | float | None, str]:
    """How many times the least, and among what: of the plan, or of its one number."""
    proof = release.certificate
    if proof is not None:
        return (proof.ratio, proof.scope) if place in proof.questions else (None, "")
    alone = release.tables[0].certificate if len(release.tables) == 1 else None
    told = release.facts.questions[place].forecast.times_least
    return (None, "") if alone is None or told is None else (alone.ratio, alone.scope)
