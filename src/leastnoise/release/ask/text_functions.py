"""Functions of texts: what they take and give."""

from leastnoise.release.ask.signature import Signature

TEXT_FUNCTIONS: tuple[Signature, ...] = ()
