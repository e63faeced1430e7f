import copy
import gc
import os
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from leastnoise.randomness import Source, process_life
from leastnoise.randomness import source as module
from leastnoise.randomness.source import default_source
from tests.run_python import run_python
from tests.scripted import CountingSource, NoEntropy, ScriptedSource, ScriptExhausted, words

FALSE_ALARM = 1e-6
KEY, START = bytes(range(32)), bytes(range(100, 116))


def keystream(count: int) -> bytes:
    """AES-256-CTR under KEY and START by another route: block by block in ECB mode."""
    encryptor = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor()
    first = int.from_bytes(START, "big")
    counters = ((first + block) % 2**128 for block in range(count // 16 + 1))
    blocks = b"".join(counter.to_bytes(16, "big") for counter in counters)
    return encryptor.update(blocks)[:count]


@pytest.fixture
def known_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", {32: KEY, 16: START}.__getitem__)


# The cipher


def test_the_reference_is_aes_256_in_counter_mode() -> None:
    # NIST SP 800-38A, F.5.5: CTR-AES256, first block.
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    start = bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172a")
    cipher = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor().update(plain)
    assert cipher == bytes.fromhex("601ec313775789a5b7a7f504bbf3d228")


@pytest.mark.usefixtures("known_key")
@pytest.mark.parametrize("count", [1, 16, 4095, 4096, 16_384, 300_000])
def test_the_first_draw_is_the_start_of_the_keystream(count: int) -> None:
    assert Source().bytes(count).tobytes() == keystream(count)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(st.one_of(st.integers(16, 600), st.integers(4000, 5000)), max_size=60))
@pytest.mark.usefixtures("known_key")
def test_no_byte_of_the_keystream_is_given_twice(counts: list[int]) -> None:
    stream = keystream(2 * sum(counts) + 5 * 16_384 * (1 + len(counts)) // 4)
    source, taken = Source(), np.zeros(len(stream), dtype=np.bool_)
    for count in counts:
        place = stream.find(source.bytes(count).tobytes())
        assert place >= 0
        assert not taken[place : place + count].any()
        taken[place : place + count] = True


def test_two_sources_differ() -> None:
    assert len(np.unique(np.concatenate([Source().words(100) for _ in range(20)]))) == 2000


def test_key_and_start_come_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    true_urandom = os.urandom

    def urandom(count: int) -> bytes:
        asked.append(count)
        return true_urandom(count)

    monkeypatch.setattr(os, "urandom", urandom)
    Source()
    assert asked == [32, 16]


# Re-keying and wiping


def test_the_key_is_changed_after_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REKEY_BYTES", 50_000)
    source = Source()
    ciphers = []
    for _ in range(20):
        source.bytes(20_000)
        ciphers.append(source._cipher)
        assert source._spent <= 70_000
    assert len(set(map(id, ciphers))) == 7
    assert all(ciphers[place] is ciphers[place - 1] for place in range(1, 20) if place % 3)


def test_small_draws_count_towards_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REKEY_BYTES", 50_000)
    source = Source()
    before = source._cipher
    for _ in range(1000):
        source.bytes(100)
    assert source._cipher is not before


def test_a_new_key_means_a_new_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REKEY_BYTES", 100)
    source = Source()
    drawn = np.concatenate([source.words(10) for _ in range(500)])
    assert len(np.unique(drawn)) == drawn.size


def test_the_limit_is_below_the_birthday_bound_of_the_cipher() -> None:
    # AES-CTR never repeats a block, truly random blocks would: distance about blocks² / 2**129.
    assert (module._REKEY_BYTES // 16) ** 2 / 2**129 < 2**-60


def test_what_was_handed_out_is_wiped_from_the_buffer() -> None:
    source = Source()
    source.bytes(1000)
    source.bytes(500)
    assert not any(source._buffer[:1500])
    assert source._used == 1500
    # 3000 more bytes are all zero with probability 256**-3000.
    assert any(source._buffer[1500:4500])


def test_what_was_handed_out_does_not_change_later() -> None:
    source = Source()
    first = source.bytes(64)
    before = first.tobytes()
    source.bytes(64)
    source.bytes(1 << 20)
    assert first.tobytes() == before
    first[:] = 0
    assert source.bytes(64).any()


def test_the_reused_zeros_stay_zero() -> None:
    Source().bytes(1 << 20)
    assert not any(module._ZEROS.tobytes())
    assert module._ZEROS.readonly


# What is drawn


@pytest.mark.parametrize("count", [0, 1, 7, 4095, 4096, 4097, (1 << 17) - 1, (1 << 17) + 1, 10**7])
def test_draws_of_any_size(count: int) -> None:
    drawn = Source().bytes(count)
    assert drawn.shape == (count,)
    assert drawn.dtype == np.uint8
    assert drawn.flags.writeable
    # A part left unfilled would be constant; 64 equal bytes have probability 256**-63.
    for start in range(0, max(0, count - 64), max(1, count // 50)):
        assert len(np.unique(drawn[start : start + 64])) > 1
    assert count < 64 or len(np.unique(drawn[-64:])) > 1


@pytest.mark.parametrize("count", [0, 1, 5, 10_000])
def test_words_and_short_words(count: int) -> None:
    source = Source()
    assert source.words(count).dtype == np.uint64
    assert source.words(count).shape == (count,)
    assert source.short_words(count).dtype == np.uint16
    assert source.short_words(count).shape == (count,)


def test_drawing_nothing_uses_nothing() -> None:
    source = Source()
    source.bytes(1)
    used = source._used
    for draw in (source.bytes, source.words, source.short_words, source.bits):
        draw(0)
    assert source._used == used
    assert source.bits(0) == 0


def test_words_reach_their_whole_range() -> None:
    drawn = Source().words(1000)
    # Every bit is 0 somewhere and 1 somewhere, but for a chance of 64·2**-999.
    assert np.bitwise_or.reduce(drawn) == 2**64 - 1
    assert np.bitwise_and.reduce(drawn) == 0


@pytest.mark.parametrize("draw", ["bytes", "words", "short_words"])
def test_a_negative_count_is_refused(draw: str) -> None:
    with pytest.raises(ValueError, match="negative"):
        getattr(Source(), draw)(-1)


@pytest.mark.parametrize("count", range(1, 18))
def test_bits_enumerated(count: int) -> None:
    width = (count + 7) // 8
    inputs = range(256**width) if width < 3 else range(0, 256**width, 97)
    drawn = [ScriptedSource(value.to_bytes(width, "little")).bits(count) for value in inputs]
    assert min(drawn) == 0
    assert max(drawn) == 2**count - 1
    if width < 3:
        assert (np.bincount(drawn) == 256**width // 2**count).all()


@pytest.mark.parametrize("count", [1, 7, 8, 9, 63, 64, 65, 1000])
def test_bits_lie_below_the_power_and_fill_it(count: int) -> None:
    source = Source()
    drawn = [source.bits(count) for _ in range(200)]
    seen_or = seen_and = drawn[0]
    for value in drawn:
        seen_or |= value
        seen_and &= value
    assert (seen_or, seen_and) == (2**count - 1, 0)


def test_words_are_the_bytes_in_order() -> None:
    assert list(ScriptedSource(words(3, 2**64 - 1)).words(2)) == [3, 2**64 - 1]
    assert list(ScriptedSource(words(0x0004_0003_0002_0001)).short_words(4)) == [1, 2, 3, 4]


def alarms(ones: int, bits: int, tests: int = 1) -> bool:
    """Whether a two-sided test of fair bits objects, at level FALSE_ALARM for `tests` together."""
    tail = min(binom.cdf(ones, bits, 0.5), binom.sf(ones - 1, bits, 0.5))
    return bool(2 * tail * tests < FALSE_ALARM)


@pytest.mark.parametrize("draw", ["large", "small"])
def test_bits_are_balanced(draw: str) -> None:
    source = Source()
    count = 1 << 19
    if draw == "large":
        drawn = source.bytes(count)
    else:
        drawn = np.concatenate([source.bytes(1 << 10) for _ in range(count >> 10)])
    bits = np.unpackbits(drawn).reshape(-1, 64)
    assert not alarms(int(bits.sum()), bits.size, tests=66)
    assert not any(alarms(int(ones), len(bits), tests=66) for ones in bits.sum(axis=0))
    repeats = int((bits[1:] == bits[:-1]).sum())
    assert not alarms(repeats, bits[1:].size, tests=66)


@pytest.mark.parametrize("shift", [-0.005, 0.005])
def test_the_balance_test_has_power(shift: float) -> None:
    bits = 1 << 22
    assert alarms(round((0.5 + shift) * bits), bits, tests=66)
    assert not alarms(bits // 2, bits)


# One holder


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        lambda source: pickle.dumps(source, protocol=0),
        lambda source: copy.deepcopy([source]),
    ],
)
def test_copies_and_pickles_are_refused(duplicate: Callable[[Source], object]) -> None:
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        duplicate(Source())


def test_the_default_source_is_one() -> None:
    assert default_source() is default_source()
    assert isinstance(default_source(), Source)


def test_dropped_sources_are_not_kept_alive() -> None:
    gc.collect()
    before = len(module._alive)
    held = [Source() for _ in range(50)]
    assert len(module._alive) == before + 50
    del held
    gc.collect()
    assert len(module._alive) == before


def test_nothing_secret_is_printed() -> None:
    source = Source()
    source.bytes(10)
    assert bytes(source._buffer[10:20]).hex() not in repr(source)
    assert not hasattr(source, "__dict__")


# Threads


@pytest.mark.parametrize("count", [1, 3, 600])
def test_threads_sharing_a_source_get_different_words(count: int) -> None:
    source = Source()
    rounds = 3000 if count < 100 else 50

    def draw(_: int) -> list[int]:
        return [int(word) for _ in range(rounds) for word in source.words(count)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            drawn = [word for part in pool.map(draw, range(8)) for word in part]
    finally:
        sys.setswitchinterval(interval)
    # Equal words among at most 240,000 have probability below 2e-9.
    assert len(set(drawn)) == len(drawn) == 8 * rounds * count


# Forks


def test_another_process_number_means_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source()
    source.bytes(10)
    before = source._cipher
    monkeypatch.setattr(os, "getpid", lambda: -1)
    source.bytes(10)
    assert source._cipher is not before
    assert source._life[0] == -1
    assert source._used == 10


FORKS = """
    import os
    from leastnoise.randomness.source import Source, default_source

    def in_child(work):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writer, " ".join(map(str, work())).encode() + b" ")
            finally:
                os._exit(0)
        os.close(writer)
        os.waitpid(child, 0)
        with os.fdopen(reader) as pipe:
            return pipe.read().split()

    def draw(source, count=20):
        # Small draws from the buffer, then one past it.
        return [*source.words(count), *source.words(count), *source.words(2000)[:count]]
"""


def forked(code: str) -> list[str]:
    return run_python(FORKS + code).split()


@pytest.mark.parametrize("make", ["Source()", "default_source()"])
@pytest.mark.parametrize("used", [0, 1, 1000])
def test_parent_and_children_draw_different_words(make: str, used: int) -> None:
    drawn = forked(
        f"""
    source = {make}
    source.bytes({used})
    children = [in_child(lambda: draw(source)) for _ in range(4)]
    print(*draw(source), *(word for child in children for word in child))
    """
    )
    assert len(drawn) == 5 * 60
    assert len(set(drawn)) == len(drawn)


def test_nested_forks_draw_different_words() -> None:
    drawn = forked(
        """
    source = Source()
    source.bytes(100)

    def nest(depth):
        before = draw(source, 5)
        deeper = in_child(lambda: nest(depth - 1)) if depth else []
        return [*before, *deeper, *draw(source, 5)]

    print(*nest(4))
    """
    )
    assert len(drawn) == 5 * 2 * 15
    assert len(set(drawn)) == len(drawn)


def test_a_child_does_not_read_the_parents_buffer() -> None:
    shown = forked(
        """
    source = Source()
    source.bytes(100)
    print(*in_child(lambda: [len(source._buffer), source._used, source._life[0] == os.getpid()]))
    """
    )
    assert shown == ["0", "0", "True"]


def test_pools_draw_different_words() -> None:
    drawn = run_python(
        """
        import multiprocessing
        from leastnoise.randomness.source import Source

        source = Source()
        source.bytes(100)

        def draw(_):
            return [int(word) for word in source.words(50)]

        with multiprocessing.get_context("fork").Pool(4) as pool:
            parts = pool.map(draw, range(40), chunksize=1)
        print(*draw(0), *(word for part in parts for word in part))
        """
    ).split()
    assert len(drawn) == 41 * 50
    assert len(set(drawn)) == len(drawn)


def test_a_fork_that_python_does_not_see() -> None:
    drawn = run_python(
        """
        import ctypes, os
        from leastnoise.randomness.source import Source

        source = Source()
        source.bytes(100)
        reader, writer = os.pipe()
        child = ctypes.PyDLL(None).fork()
        if child == 0:
            os.write(writer, " ".join(map(str, source.words(50))).encode())
            os._exit(0)
        os.waitpid(child, 0)
        print(os.read(reader, 1 << 16).decode(), *source.words(50))
        """
    ).split()
    assert len(drawn) == 100
    assert len(set(drawn)) == len(drawn)


SAME_NUMBER = """
    import ctypes, os
    from leastnoise.mechanisms.thresholds.single_use import SingleUse
    from leastnoise.randomness import process_life
    from leastnoise.randomness.source import Source

    def turned(kept):
        try:
            with kept._turn():
                return 1
        except Exception:
            return 0

    def hidden_fork(work):
        reader, writer = os.pipe()
        child = ctypes.PyDLL(None).fork()
        if child == 0:
            try:
                os.write(writer, " ".join(map(str, work())).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            written = pipe.read().split()
        os.waitpid(child, 0)
        return written
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pages wiped by the kernel are Linux's")
@pytest.mark.parametrize("count", [50, 3000])
def test_a_hidden_fork_that_keeps_the_process_number(count: int) -> None:
    drawn = run_python(
        SAME_NUMBER
        + f"""
    os.getpid = lambda: 1
    source, kept = Source(), SingleUse()
    source.bytes(100)
    draw = lambda: [*source.words({count})[-50:], turned(kept)]
    # The child has not drawn when it forks: two forks must not look like none.
    print(*draw(), *hidden_fork(draw), *hidden_fork(lambda: [*hidden_fork(draw), *draw()]))
    """
    ).split()
    turns = [drawn.pop(place) for place in (203, 152, 101, 50)]
    assert turns == ["0", "0", "0", "1"]
    assert len(set(drawn)) == len(drawn) == 200


@pytest.mark.skipif(sys.platform != "linux", reason="namespaces are Linux's")
@pytest.mark.parametrize("page", [True, False])
def test_nested_namespaces_in_which_every_process_is_number_one(page: bool) -> None:
    drawn = run_python(
        """
    import ctypes
    libc = ctypes.CDLL(None)
    NEW_USER, NEW_PID = 0x10000000, 0x20000000
    # Before anything starts a thread: Linux lets no process of several threads do it.
    if libc.unshare(NEW_USER):
        print("forbidden")
        raise SystemExit
    """
        + SAME_NUMBER
        + f"""
    if libc.unshare(NEW_PID):
        print("forbidden")
        raise SystemExit
    if not {page}:
        process_life._page = None

    def inner():
        return [os.getpid(), *source.words(20)]

    def outer():
        global source
        source = Source()
        source.bytes(100)
        if libc.unshare(NEW_PID):
            return ["forbidden"]
        return [*hidden_fork(inner), *inner()]

    print(*hidden_fork(outer))
    """
    ).split()
    if drawn == ["forbidden"]:
        pytest.skip("this machine does not let a test make namespaces")
    assert drawn[0] == drawn[21] == "1"
    assert len(set(drawn)) == 41


@pytest.mark.parametrize("count", [50, 100_000])
@pytest.mark.parametrize("hook", [True, False])
def test_a_fork_in_the_middle_of_a_draw_leaves_nothing_in_common(count: int, hook: bool) -> None:
    """As if a signal's handler forked there: what was filled before belongs to the parent too."""

    class Forking(Source):
        forked = False
        inherited = b""

        def _encrypt(self, target: memoryview) -> None:
            super()._encrypt(target)
            if not self.forked:
                self.forked, self.inherited = True, target.tobytes()
                if hook:
                    module._after_fork_in_child()
                else:
                    self._life = ()

    source = Forking()
    drawn = source.bytes(count).tobytes()
    assert len(drawn) == count
    assert drawn[:16] != source.inherited[:16]
    assert source.bytes(16).tobytes() not in source.inherited


def test_without_a_page_number_start_and_namespace_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process_life, "_page", None)
    assert process_life.process_life() == process_life.process_life()
    assert process_life.process_life()[0] == os.getpid()


def test_a_child_forked_while_threads_draw_is_not_locked_out() -> None:
    drawn = run_python(
        """
        import os, select, sys, threading
        from leastnoise.randomness.source import Source

        sys.setswitchinterval(1e-6)
        source, stop = Source(), threading.Event()

        def work():
            while not stop.is_set():
                source.words(3)
                source.words(3000)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        shown = []
        for _ in range(100):
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(writer, str(source.words(1)[0]).encode())
                os._exit(0)
            ready, _, _ = select.select([reader], [], [], 600)
            if not ready:
                os.kill(child, 9)
            os.waitpid(child, 0)
            shown.append(os.read(reader, 99).decode() if ready else "locked")
            os.close(reader)
            os.close(writer)
        stop.set()
        for thread in threads:
            thread.join()
        print(*shown)
        """
    ).split()
    assert "locked" not in drawn
    assert len(set(drawn)) == 100


def test_a_child_forked_while_the_lock_is_held_is_not_locked_out() -> None:
    shown = forked(
        """
    source = Source()
    with source._lock:
        print(*in_child(lambda: [source._lock.locked(), source.words(1).size]))
    """
    )
    assert shown == ["False", "1"]


def test_what_a_child_does_first_frees_the_lock_and_changes_the_key() -> None:
    source = Source()
    source.bytes(1)
    source._lock.acquire()
    ahead = bytes(source._buffer[source._used : source._used + 16])
    module._after_fork_in_child()
    assert not source._lock.locked()
    assert source.bytes(16).tobytes() != ahead


# The sources of the tests themselves


def test_scripted_sources_play_their_bytes_and_stop() -> None:
    source = ScriptedSource(bytes([1, 2, 3]))
    assert list(source.bytes(2)) == [1, 2]
    assert (source.used, source.left) == (2, 1)
    with pytest.raises(ScriptExhausted):
        source.bytes(2)
    assert list(source.bytes(1)) == [3]


def test_counting_sources_count() -> None:
    source = CountingSource()
    source.words(3)
    source.short_words(2)
    source.bits(9)
    assert source.given == 24 + 4 + 2


def test_no_entropy_means_none() -> None:
    with pytest.raises(AssertionError):
        NoEntropy().words(1)
