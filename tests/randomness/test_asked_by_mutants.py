"""What no other test noticed when it was changed: `make mutants`."""

from typing import Any

import numpy as np

from leastnoise.randomness import process_life, source
from leastnoise.randomness.uniform_rows import _fill_long


class Scripted:
    """Words that were written down."""

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count: int) -> Any:
        return np.array([self.left.pop(0) for _ in range(count)], dtype=np.uint64)


def test_the_last_word_of_a_whole_round_counts_in_every_round() -> None:
    bound = 3 << 40
    last = 2**64 - 1 - 2**64 % bound
    script: Any = Scripted(last + 1, last + 1, last, 7)
    target = np.zeros((1, 1), dtype=np.uint64)
    _fill_long(target, np.array([[bound]], dtype=np.uint64), script)
    assert target[0, 0] == last % bound
    assert script.left == [7]


def test_a_key_encrypts_no_more_than_its_share() -> None:
    """2**32 blocks of 16 bytes: so far AES in counter mode is surely far from repeating."""
    assert source._REKEY_BYTES <= 16 * 2**32


def test_the_kernels_number_for_pages_that_a_fork_wipes() -> None:
    """MADV_WIPEONFORK in linux/mman.h; 19 is its opposite, and would hide forks."""
    assert process_life._WIPE_ON_FORK == 18
