"""The source is AES-256-CTR under the system's keys; no byte is read twice, by anybody."""

import copy
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Event, Thread

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leastnoise.noise import source as module
from leastnoise.noise.source import Source, system_source
from tests.forked import in_child
from tests.scripted import Scripted, law

KEY, START = bytes(range(32)), bytes(range(100, 116))


def keystream(count: int) -> bytes:
    """AES-256-CTR by another route: block by block in ECB mode."""
    encryptor = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor()
    first = int.from_bytes(START, "big")
    counters = ((first + block) % 2**128 for block in range(count // 16 + 1))
    return encryptor.update(b"".join(each.to_bytes(16, "big") for each in counters))[:count]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the system was asked for; it always answers the same."""
    sizes: list[int] = []

    def urandom(size: int) -> bytes:
        sizes.append(size)
        return {32: KEY, 16: START}[size]

    monkeypatch.setattr(os, "urandom", urandom)
    return sizes


@pytest.mark.parametrize("count", [1, 3, 2047, 2048, 2049, 40_000])
def test_words_are_the_keystream(asked: list[int], count: int) -> None:
    stream = keystream(8 * count)
    assert Source().words(count).tobytes() == stream
    assert Source().integer(64 * count) == int.from_bytes(stream, "little")
    for bits in (8, 16, 32, 64):
        expected = [int.from_bytes(stream[at : at + bits // 8], "little")
                    for at in range(0, bits // 8 * count, bits // 8)]  # fmt: skip
        found = Source().words(count, bits)
        assert found.tolist() == expected and found.dtype == f"u{bits // 8}"
        assert found.flags.writeable
    assert asked == [32, 16] * 6


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(counts=st.lists(st.one_of(st.integers(0, 600), st.integers(16_000, 17_000)), max_size=60))
def test_no_byte_is_given_twice(asked: list[int], counts: list[int]) -> None:
    stream, source, after = keystream(2 * sum(counts) + (1 << 15)), Source(), 0
    for count in counts:
        taken = source.words(count, 8).tobytes()
        if count >= 16:  # else it is found by chance
            at = stream.find(taken)
            assert at >= after
            after = at + count


@pytest.mark.parametrize("bits", [0, 1, 3, 7, 8, 9, 12])
def test_an_integer_of_some_bits_is_uniform(bits: int) -> None:
    found = law(lambda source: source.integer(bits), depth=(bits + 7) // 8)
    assert found == dict.fromkeys(range(2**bits), Fraction(1, 2**bits))


def test_an_integer_reads_no_more_bytes_than_it_needs() -> None:
    for bits, count in ((0, 0), (1, 1), (8, 1), (9, 2), (64, 8), (65, 9)):
        source = Scripted(bytes(20))
        source.integer(bits)
        assert len(source.left) == 20 - count


@pytest.mark.parametrize("limit", [3 << 14, (4 << 14) - 1])
def test_a_new_key_is_taken_after_so_many_bytes(
    asked: list[int], monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(module, "_REKEY", limit)
    source = Source()
    for _ in range(4):
        assert asked == [32, 16]
        source.words(1 << 11)
    source.words(1)
    assert asked == [32, 16] * 2
    assert source.words(1).tobytes() == keystream(16)[8:]  # nothing is left of the old stream


COPIES: list[Callable[[Source], object]] = [copy.copy, copy.deepcopy, pickle.dumps]


@pytest.mark.parametrize("copied", COPIES)
def test_a_source_is_not_copied(copied: Callable[[Source], object]) -> None:
    with pytest.raises(TypeError, match="equal noise"):
        copied(Source())


# Processes and threads


def test_a_child_draws_other_bits_than_its_parent() -> None:
    source, process = Source(), system_source()
    assert process is system_source() is not source
    source.words(1), process.words(1)  # a child inherits what is left in the buffers

    def drawn() -> bytes:
        return b"".join(each.words(2).tobytes() for each in (source, process, system_source()))

    children = [in_child(drawn) for _ in range(3)]
    words = {each[at : at + 8] for each in [*children, drawn()] for at in range(0, 48, 8)}
    assert len(words) == 4 * 6


def test_a_process_that_was_copied_without_python_is_noticed(asked: list[int]) -> None:
    source = Source()
    source.words(1)
    source._process += 1  # what a copy by C code looks like
    assert source.words(1).tobytes() == keystream(8)
    assert asked == [32, 16] * 2 and source._process == os.getpid()
    assert source.words(1).tobytes() == keystream(16)[8:]


def test_a_forked_child_does_not_wait_for_a_thread_that_it_has_not() -> None:
    source, held, done = Source(), Event(), Event()

    def hold() -> None:
        with source._lock:
            held.set()
            done.wait()

    thread = Thread(target=hold)
    thread.start()
    held.wait()
    try:
        free = in_child(lambda: b"free" if source._lock.acquire(blocking=False) else b"held")
    finally:
        done.set()
        thread.join()
    assert free == b"free"


def test_threads_share_one_source() -> None:
    source, encrypted = Source(), []

    class Watched:
        def update(self, data: bytes) -> bytes:
            encrypted.append(source._lock.locked())
            return cipher.update(data)

    cipher, source._cipher = source._cipher, Watched()  # type: ignore[assignment]
    with ThreadPoolExecutor(8) as pool:
        words = np.concatenate(list(pool.map(lambda _: source.words(1 << 10), range(200))))
    assert len(set(words.tolist())) == words.size
    assert encrypted and all(encrypted)
    encrypted.clear()
    for _ in range(1 << 12):
        source.words(1)
    assert len(encrypted) <= 3  # small requests share what is encrypted at once
