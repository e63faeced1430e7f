"""`Source`: uniform bits from AES-256-CTR, keyed by the operating system."""

import os
from threading import Lock
from typing import TYPE_CHECKING, NoReturn
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from leastnoise import _check
from leastnoise.randomness.process_life import process_life

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import CipherContext

_BUFFER_BYTES = 1 << 14  # small draws are served from a few pages
_REKEY_BYTES = 1 << 36  # far before the counter of the cipher would repeat
_ZEROS = memoryview(bytes(1 << 17))  # the key stream is what zeros are encrypted to


class Source:
    """A stream of independent uniform bits.

    The key and the counter's start come from the operating system; nobody can choose or repeat
    them. A forked child is keyed anew before it draws its first bit, threads may share a source,
    and copies and pickles are refused, so no stream is ever read twice.

    Example:
        >>> Source().words(3).dtype
        dtype('uint64')
    """

    __slots__ = ("__weakref__", "_buffer", "_cipher", "_life", "_lock", "_spent", "_used")

    def __init__(self) -> None:
        self._lock = Lock()
        self._rekey()
        _alive.add(self)

    def _rekey(self) -> None:
        # Loaded here: a forecast draws nothing.
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # noqa: PLC0415

        self._life = process_life()  # first: a fork from here on is one to be noticed
        key, start = os.urandom(32), os.urandom(16)
        self._cipher: CipherContext = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor()
        self._buffer, self._used, self._spent = bytearray(), 0, 0

    def bytes(self, count: int) -> NDArray[np.uint8]:
        """`count` uniform bytes in an array of their own."""
        drawn = np.empty(count, dtype=np.uint8)
        with self._lock:
            # Python's own forks are caught by the hook below; this catches those made in C.
            if self._life != process_life() or self._spent > _REKEY_BYTES:
                self._rekey()
            cipher = self._cipher
            if count >= _BUFFER_BYTES // 4:
                self._encrypt(drawn.data)
            else:
                drawn[:] = self._buffered(count)
            # A signal's handler may fork in the middle of a draw: parent and child share a part.
            shared = self._cipher is not cipher or self._life != process_life()
        return self.bytes(count) if shared else drawn

    def _encrypt(self, target: memoryview) -> None:
        for start in range(0, len(target), len(_ZEROS)):
            part = target[start : start + len(_ZEROS)]
            self._cipher.update_into(_ZEROS[: len(part)], part)
        self._spent += len(target)

    def _buffered(self, count: int) -> NDArray[np.uint8]:
        buffer, start = self._buffer, self._used
        if start + count > len(buffer):
            self._buffer, self._used = buffer, start = bytearray(_BUFFER_BYTES), 0
            self._encrypt(memoryview(buffer))
        self._used = start + count
        taken = np.frombuffer(bytes(buffer[start : start + count]), dtype=np.uint8)
        buffer[start : start + count] = bytes(count)  # what was handed out is forgotten here
        return taken

    def words(self, count: int) -> NDArray[np.uint64]:
        """`count` uniform 64-bit words."""
        return self.bytes(8 * count).view(np.uint64)

    def short_words(self, count: int) -> NDArray[np.uint16]:
        """`count` uniform 16-bit words."""
        return self.bytes(2 * count).view(np.uint16)

    def bits(self, count: int) -> int:
        """A uniform integer below 2**count."""
        drawn = self.bytes((count + 7) // 8).tobytes()
        return int.from_bytes(drawn, "little") >> (-count % 8)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Source cannot be copied or pickled: two holders would draw equal noise")


_alive: WeakSet[Source] = WeakSet()
_default: Source | None = None


def default_source() -> Source:
    """The process's own source, made on first use."""
    global _default
    if _default is None:
        _default = Source()
    return _default


def checked_source(source: Source | None) -> Source:
    """The source given, or the process's own."""
    if source is None:
        return default_source()
    remedy = "Leave it out: there are no seeds. Write a shape as one tuple: sample((2, 3))."
    return _check.kind(source, Source, "`source` must be a Source", remedy)


def _after_fork_in_child() -> None:
    for source in _alive:
        # Another thread of the parent may have held the lock; in the child nobody would free it.
        source._lock = Lock()
        source._rekey()


os.register_at_fork(after_in_child=_after_fork_in_child)
