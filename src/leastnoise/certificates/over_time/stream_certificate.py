"""`StreamCertificate`: how near to the least the errors of running totals are, and the proof."""

import json
from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise.certificates.check import Check
from leastnoise.certificates.over_time.check_stream import MOST_SPANS, MOST_STEPS, check_stream
from leastnoise.certificates.over_time.integer_stream import Integers, IntegerStream
from leastnoise.certificates.over_time.participation import Participation
from leastnoise.certificates.over_time.spans import Span
from leastnoise.certificates.over_time.stream_claim import (
    STREAM_FORMAT,
    STREAM_REFERENCE,
    StreamClaim,
)
from leastnoise.certificates.strict_json import (
    WRONG_TYPES,
    integer,
    number,
    only,
    read_object,
    rejected,
    words,
)

_FIELDS = (
    "format", "claim", "most", "apart", "worst", "law", "stream", "achieved", "bound", "reference",
)  # fmt: skip
_GENERATORS = ("decay", "intake", "outlet", "direct")
_MOST_WORDS = 1 << 12
_MOST_BUFFERS = 64
_MOST_LISTED = 1024  # steps of a matrix that is kept whole
_LARGEST = {"decay": 1 << 28, "intake": 1 << 28, "outlet": 1 << 34, "direct": 1 << 34}
_LARGEST_LISTED = 1 << 25


class StreamCertificate(StreamClaim):
    r"""A claim about running totals with everything a stranger needs to check it.

    Theorem: as in `certificates/over_time/running_bound.py` and `pattern_bound.py`.
    Proof: docs/proofs/over_time.md.

    Example:
        >>> import leastnoise as ln
        >>> week = ln.running_totals(7)
        >>> print(StreamCertificate.from_json(week.to_json()).check())
        ACCEPTED: every claim was computed anew and holds
    """

    def check(self) -> Check:
        """Everything computed anew, without the search that made the certificate."""
        return check_stream(self)

    def to_json(self) -> str:
        """The certificate as text, to publish and to check elsewhere."""
        return json.dumps(self.to_values(), ensure_ascii=False)

    def to_values(self) -> dict[str, Any]:
        """The certificate as plain values of JSON: rationals as text."""
        return {
            "format": STREAM_FORMAT,
            "claim": self.sentence,
            "most": self.allowed.most,
            "apart": self.allowed.apart,
            "worst": self.worst,
            "law": list(self.law),
            **({"spans": [list(each) for each in self.spans]} if self.spans else {}),
            "stream": _stream_text(self.stream),
            "achieved": str(self.achieved),
            "bound": str(self.bound),
            "reference": STREAM_REFERENCE,
        }

    @classmethod
    def from_json(cls, text: str) -> "StreamCertificate":
        """The certificate from its text.

        Raises:
            CertificateRejected: not the text of a certificate over time.
        """
        return cls.from_values(read_object(text))

    @classmethod
    def from_values(cls, data: Any) -> "StreamCertificate":
        """The certificate from plain values of JSON.

        Raises:
            CertificateRejected: not those of a certificate over time.
        """
        try:
            return cls(**_parts(data))
        except (*WRONG_TYPES, ValueError):
            raise rejected("all fields of a certificate over time, each of its own type") from None


def _stream_text(stream: IntegerStream) -> dict[str, Any]:
    if stream.is_listed:
        return {"rows": [row[: t + 1].tolist() for t, row in enumerate(stream.matrix)]}
    return {name: getattr(stream, name).tolist() for name in _GENERATORS}


def _parts(data: dict[str, Any]) -> dict[str, Any]:
    if data["format"] != STREAM_FORMAT:
        raise rejected(f"in the format '{STREAM_FORMAT}'")
    only(data, *_FIELDS, *(("spans",) if "spans" in data else ()))
    if not isinstance(data["worst"], bool):
        raise TypeError
    return {
        "stream": _stream(data["stream"]),
        "allowed": Participation(
            most=integer(data["most"], 1, MOST_STEPS), apart=integer(data["apart"], 1, MOST_STEPS)
        ),
        "worst": data["worst"],
        "law": tuple(integer(each, 1, 1 << 62) for each in _listed(data["law"], MOST_STEPS)),
        "achieved": _positive(data["achieved"]),
        "bound": _positive(data["bound"]),
        "words": (words(data["claim"], _MOST_WORDS), words(data["reference"], _MOST_WORDS)),
        "spans": tuple(map(_span, _listed(data["spans"], MOST_SPANS))) if "spans" in data else (),
    }


def _span(values: Any) -> Span:
    first, last, weight = _exactly(values, 3)
    return (
        integer(first, 1, MOST_STEPS),
        integer(last, 1, MOST_STEPS),
        integer(weight, 1, 1 << 52),
    )


def _positive(text: Any) -> Fraction:
    value = number(text)
    if value > 0:
        return value
    raise TypeError


def _listed(values: Any, most: int) -> list[Any]:
    if isinstance(values, list) and 1 <= len(values) <= most:
        return values
    raise TypeError


def _stream(data: dict[str, Any]) -> IntegerStream:
    if "rows" in data:
        only(data, "rows")
        rows = _listed(data["rows"], _MOST_LISTED)
        found = np.zeros((len(rows), len(rows)), np.int64)
        for t, row in enumerate(rows):
            found[t, : t + 1] = _integers(row, t + 1, _LARGEST_LISTED)
        return IntegerStream.of_matrix(found)
    only(data, *_GENERATORS)
    direct = _listed(data["direct"], MOST_STEPS)
    steps, buffers = len(direct), len(_listed(data["decay"], MOST_STEPS)[0])
    if buffers > _MOST_BUFFERS:
        raise TypeError
    decay, intake, outlet = (
        np.stack([_integers(row, buffers, _LARGEST[name]) for row in _exactly(data[name], steps)])
        for name in _GENERATORS[:3]
    )
    return IntegerStream(decay, intake, outlet, _integers(direct, steps, _LARGEST["direct"]))


def _exactly(values: Any, count: int) -> list[Any]:
    if isinstance(values, list) and len(values) == count:
        return values
    raise TypeError


def _integers(values: Any, count: int, largest: int) -> Integers:
    """Small enough that nothing that is made of them overflows."""
    found = [integer(each, -largest, largest) for each in _exactly(values, count)]
    return np.array(found, np.int64)
