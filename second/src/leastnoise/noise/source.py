"""`Source`: uniform bits from AES-256-CTR, keyed by the operating system. The only entropy.

Nobody can choose or repeat a key. A copy of the process (fork) draws a key of its own before its
first bit; pickles and copies are refused, so no stream is ever read twice.

Trusted.
"""

import os
from threading import Lock
from typing import NoReturn
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from leastnoise.numbers.errors import InvalidInput

_BUFFER = 1 << 14  # bytes encrypted at once, so that small requests are cheap
_REKEY = 1 << 36  # bytes after which a new key is drawn


class Source:
    """A stream of independent uniform bits. Threads may share one.

    >>> Source().words(3).dtype
    dtype('uint64')
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._rekey()
        _alive.add(self)

    def _rekey(self) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self._process = os.getpid()
        self._cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()
        self._buffer, self._spent = b"", 0

    def _bytes(self, count: int) -> bytes:
        """`count` bytes that nobody gets again."""
        with self._lock:
            # Python's own forks are caught by `_rekey_in_child`, those made in C by the number.
            if self._process != os.getpid() or self._spent > _REKEY:
                self._rekey()
            if len(self._buffer) < count:
                fresh = max(count, _BUFFER)
                self._buffer = self._cipher.update(bytes(fresh))
                self._spent += fresh
            taken, self._buffer = self._buffer[:count], self._buffer[count:]
            return taken

    def words(self, count: int, bits: int = 64) -> NDArray[np.unsignedinteger]:
        """`count` uniform integers of 8, 16, 32 or 64 bits."""
        return np.frombuffer(self._bytes(count * bits // 8), dtype=f"u{bits // 8}").copy()

    def integer(self, bits: int) -> int:
        """A uniform integer below 2**bits."""
        return int.from_bytes(self._bytes((bits + 7) // 8), "little") >> (-bits % 8)

    def __reduce__(self) -> NoReturn:
        raise TypeError("A Source cannot be copied or pickled: two holders would draw equal noise.")


_alive: WeakSet[Source] = WeakSet()
_system: Source | None = None


def system_source(given: Source | None = None) -> Source:
    """The source that was given, or the process's own, made when first asked for."""
    if given is not None and not isinstance(given, Source):
        raise InvalidInput(f"source is a {type(given).__name__}. Give a Source, or leave it out.")
    global _system  # noqa: PLW0603
    if _system is None:
        _system = Source()
    return given or _system


def _rekey_in_child() -> None:
    for source in _alive:
        # Another thread of the parent may have held the lock. In the child nobody would release it.
        source._lock = Lock()
        source._rekey()


os.register_at_fork(after_in_child=_rekey_in_child)
