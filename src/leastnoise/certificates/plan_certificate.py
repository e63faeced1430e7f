"""`PlanCertificate`: how near to the least the noise of a whole plan is, and the proof."""

import json
from typing import Any

from leastnoise.certificates.check import Check
from leastnoise.certificates.check_plan import check_plan
from leastnoise.certificates.plan_claim import PlanClaim
from leastnoise.certificates.plan_text import plan_parts, plan_text
from leastnoise.certificates.strict_json import read_object


class PlanCertificate(PlanClaim):
    r"""A claim about a whole plan's noise with everything a stranger needs to check it.

    Theorem: let Σ be the covariance of a mechanism of the scope that keeps the budget, W the
    diagonal matrix of the weights, and v the change that a random unit makes, drawn as the parts
    say. Then tr(WΣ) ≥ (tr(W^½·E[v·vᵀ]·W^½)^½)²/C, with C of `certificates/plan_scope.py`.
    Proof: docs/proofs/plan_bound.md.

    Example:
        >>> import tempfile
        >>> import leastnoise as ln
        >>> import pyarrow as pa
        >>> table = ln.read(pa.table({"age": [41, 70]}), unit=None)
        >>> asked = ln.plan(table).count().count(where=ln.col("age") >= 67, name="older")
        >>> ledger = ln.Ledger(f"{tempfile.mkdtemp()}/b.db", total=ln.PureDP(epsilon=3), begin=True)
        >>> proof = asked.release(ln.PureDP(epsilon=1), ledger=ledger).certificate
        >>> print(PlanCertificate.from_json(proof.to_json()).check())
        ACCEPTED: every claim was computed anew and holds
    """

    def check(self) -> Check:
        """Everything computed anew, without the search that made the certificate."""
        return check_plan(self)

    def to_json(self) -> str:
        """The certificate as text, to publish and to check elsewhere."""
        return json.dumps(self.to_values(), indent=1, ensure_ascii=False)

    def to_values(self) -> dict[str, Any]:
        """The certificate as plain values of JSON."""
        return plan_text(self)

    @classmethod
    def from_json(cls, text: str) -> "PlanCertificate":
        """The certificate from its text.

        Raises:
            CertificateRejected: not the text of a plan's certificate.
        """
        return cls.from_values(read_object(text))

    @classmethod
    def from_values(cls, data: Any) -> "PlanCertificate":
        """The certificate from plain values of JSON.

        Raises:
            CertificateRejected: not those of a plan's certificate.
        """
        return cls(**plan_parts(data))
