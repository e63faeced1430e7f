"""`Certificate`: what a law achieves, what no law undercuts, and the proof of both."""

import json

from leastnoise import _show
from leastnoise.certificates.check import Check, check
from leastnoise.certificates.claim import Claim
from leastnoise.certificates.from_text import certificate_parts
from leastnoise.certificates.to_text import certificate_text


class Certificate(Claim):
    r"""A claim of optimality with everything a stranger needs to check it.

    Example:
        >>> import leastnoise as ln
        >>> certificate = ln.optimal(sensitivity=3, epsilon=1, delta="1e-3").certificate()
        >>> print(f"{float(certificate.achieved):.6f}", float(certificate.ratio) < 1 + 1e-9)
        2.837057 True
        >>> print(Certificate.from_json(certificate.to_json()).check())
        ACCEPTED: every claim was computed anew and holds
    """

    _repr_html_ = _show.html

    def check(self) -> Check:
        """Everything computed anew by code that shares nothing with the maker."""
        return check(self)

    def to_json(self) -> str:
        """The certificate as text, to publish and to check elsewhere.

        Raises:
            UnsupportedQuery: the cost is a function of your own, which text cannot hold.
        """
        return json.dumps(certificate_text(self), indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """The certificate from its text.

        Raises:
            CertificateRejected: not the text of a certificate.
        """
        return cls(**certificate_parts(text))
