"""What is promised: the vocabulary of privacy guarantees and of proofs about them."""

from leastnoise.privacy.verification import Verification

__all__ = ["Verification"]
