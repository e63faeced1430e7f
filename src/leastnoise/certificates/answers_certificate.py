"""`AnswersCertificate`: what no noise for many answers can beat, and the proof."""

import json
from dataclasses import field
from decimal import ROUND_FLOOR
from fractions import Fraction
from typing import Any

from leastnoise._dataclass import dataclass
from leastnoise.certificates.answers_problem import AnswersProblem
from leastnoise.certificates.answers_text import answers_parts, answers_text
from leastnoise.certificates.answers_witness import AnswersWitness, PairDual
from leastnoise.certificates.check import Check
from leastnoise.certificates.check_answers import proved_bound
from leastnoise.certificates.claim import rounded
from leastnoise.certificates.strict_json import read_object

ADDITIVE = "all mechanisms that add noise, independent of the true answers, on the same lattice"
UNBIASED = "all unbiased mechanisms, whether or not they add noise"
_PAIR = "docs/proofs/many_counts.md, section 3: a dual point of the program for two answers"
_MOVED = "docs/proofs/many_counts.md, section 4: what no unbiased mechanism can beat"


@dataclass(frozen=True, repr=False)
class AnswersCertificate:
    r"""A lower bound on the mean expected cost of many answers, with its proof.

    Attributes:
        problem: how many answers, what one unit does to them, the promise and the cost.
        bound: no mechanism in the scope has a smaller mean expected cost than this.
        witness: the proof: a dual point for two answers, or what a random unit moves.
        achieved: the expected cost of the noise it came with. It is not part of the text, whose
            claim is the bound; None in a certificate that was read.

    Example:
        >>> import leastnoise as ln
        >>> two = ln.optimal(sensitivity=1, epsilon=1, count=2, cost="squared", one_sided=True)
        >>> certificate = two.certificate()
        >>> print(f"{float(certificate.bound):.3f} {float(certificate.ratio):.4f}")
        3.155 1.0000
        >>> print(AnswersCertificate.from_json(certificate.to_json()).check())
        ACCEPTED: the bound was computed anew and holds
    """

    problem: AnswersProblem
    bound: Fraction
    witness: AnswersWitness
    achieved: Fraction | None = field(default=None, compare=False)
    words: tuple[str, ...] = field(default=(), compare=False)

    @property
    def scope(self) -> str:
        """The class of mechanisms the bound covers."""
        return ADDITIVE if isinstance(self.witness, PairDual) else UNBIASED

    @property
    def reference(self) -> str:
        """Where the kind of proof is from."""
        return _PAIR if isinstance(self.witness, PairDual) else _MOVED

    @property
    def ratio(self) -> Fraction | None:
        """Achieved over bound: 1 means that nothing in the scope does better."""
        if self.achieved is None or self.bound <= 0:
            return None
        return self.achieved / self.bound

    @property
    def sentence(self) -> str:
        """What is claimed, for people, from numbers alone; the bound is rounded down."""
        problem = self.problem
        moves = "in one direction" if problem.one_sided else "either way"
        return (
            f"for {problem.count} answers that one unit moves {moves} by up to "
            f"{problem.sensitivity * problem.step} each, at ε = {problem.epsilon} and "
            f"δ = {problem.delta}, the mean {problem.cost.name} is no less than "
            f"{rounded(self.bound, ROUND_FLOOR)} among {self.scope}"
        )

    def check(self) -> Check:
        """The bound computed anew from the witness, by code that shares nothing with the maker."""
        proved = proved_bound(self.problem, self.witness)
        if proved is None:
            return Check(False, "the witness does not prove anything about this problem")
        if self.bound > proved:
            return Check(False, "the witness proves less than the stated bound")
        if not set(self.words) <= {self.sentence, self.reference}:
            return Check(False, "its words say something else than its numbers prove")
        return Check(True, "the bound was computed anew and holds", self.sentence)

    def to_json(self) -> str:
        """The certificate as text, to publish and to check elsewhere."""
        said = {"claim": self.sentence, "reference": self.reference, "bound": str(self.bound)}
        return json.dumps(answers_text(self.problem, self.witness) | said, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "AnswersCertificate":
        """The certificate from its text.

        Raises:
            CertificateRejected: not the text of such a certificate.
        """
        return cls.from_values(read_object(text))

    @classmethod
    def from_values(cls, data: Any) -> "AnswersCertificate":
        """The certificate from plain values of JSON.

        Raises:
            CertificateRejected: not those of such a certificate.
        """
        return cls(**answers_parts(data))

    def __repr__(self) -> str:
        near = "" if self.ratio is None else f", achieved {float(self.ratio):.6g} times that"
        return f"AnswersCertificate(cost ≥ {float(self.bound):.6g}{near}, among {self.scope})"
