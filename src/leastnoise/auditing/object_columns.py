"""The columns of outputs of any kind: numbers, text, nothing, containers, exceptions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np

from leastnoise._dataclass import dataclass
from leastnoise.auditing.array_columns import INTEGER, KINDS, TRUTH, bits, kinds, lowest_bit
from leastnoise.auditing.bit_columns import bit_columns
from leastnoise.auditing.byte_words import byte_words, order_word
from leastnoise.auditing.columns import Codes, Columns, Floats

_MOST_PATHS = 256  # each is a column of its own, searched through
_MOST_TEXT = 60  # a label stays on one line
_MOST_BYTES = 64  # of bytes, each a number of its own
_SIGN = 1 << 63
_FITS = 1 << 62  # integers that are their own codes


@dataclass(frozen=True)
class Raised:
    """An output that is no value: the mechanism raised this kind of exception."""

    kind: str

    def __repr__(self) -> str:
        return f"raised {self.kind}"


def common_paths(*rows: Sequence[object]) -> tuple[str, ...]:
    """The places inside outputs where something stands most often."""
    seen = Counter(path for outputs in rows for output in outputs for path, _ in parts(output))
    return tuple(dict.fromkeys(("output", *(path for path, _ in seen.most_common(_MOST_PATHS)))))


def object_columns(outputs: Sequence[object], paths: Sequence[str]) -> Columns:
    """Kinds, lengths, identities, and the numbers and texts at each of the places given.

    A number by itself is seen just as in an array: each column depends on its own output alone.
    """
    labels: dict[int, str] = dict(enumerate(KINDS))
    flat = [dict(parts(output)) for output in outputs]
    lengths = [_length(output) for output in outputs]
    numbers: dict[str, Floats] = {"length of output": np.array(lengths)}
    codes: dict[str, Codes] = {
        "kind of output": _coded([_kind(output) for output in outputs], labels),
        "output itself": _coded([_identity(output) for output in outputs], labels),
        "order of keys": _coded([_order(output) for output in outputs], labels),
    }
    numeric: dict[str, Codes] = {}
    words: dict[str, Codes] = {}
    for path in paths:
        column = [found.get(path) for found in flat]
        _add_numbers(path, column, numbers, numeric)
        codes[f"text of {path}"] = _coded([_written(part) for part in column], labels)
        words.update(byte_words(path, column))
        if path != "output":
            codes[f"presence of {path}"] = np.array([int(x is not None) for x in column])
    say = {name: _label(labels) for name in codes}
    codes |= bit_columns(numeric)
    words["order of keys"] = order_word(paths[1:], [_places(output) for output in outputs])
    return Columns(len(outputs), numbers, codes, say, numeric | words)


def _label(labels: Mapping[int, str]) -> Any:
    return lambda code: labels.get(code, f"output {code}")


def _length(output: object) -> float:
    if isinstance(output, str | bytes | list | tuple | Mapping | Set | np.ndarray):
        return float(len(output))
    return np.nan


def _order(output: object) -> str | None:
    """The keys of a mapping as they come: an order is an output too."""
    return _text(list(output)) if isinstance(output, Mapping) else None


def _places(output: object) -> dict[str, int]:
    """The places of a mapping's keys, by path."""
    keys = output if isinstance(output, Mapping) else ()
    return {f"output[{_text(key)}]": place for place, key in enumerate(keys)}


def _written(part: object) -> str | None:
    if isinstance(part, bytes):
        return part.hex()
    return part if isinstance(part, str) else None


def _add_numbers(
    path: str, column: list[object], numbers: dict[str, Floats], numeric: dict[str, Codes]
) -> None:
    """The numbers at one place, with their lowest bits, and the bits of those that are numbers."""
    values = np.array([_number(part) for part in column])
    floats = np.array([isinstance(part, float | np.floating) for part in column])
    numbers[path] = values
    numbers[f"lowest bit of {path}"] = lowest_bit(np.where(floats, values, np.nan))
    whole = [_low_word(part) if _is_integer(part) else 0 for part in column]
    numeric[path] = np.where(floats, bits(values), np.array(whole, dtype=np.int64))


def _low_word(part: Any) -> int:
    """The last 64 bits of an integer, as a word that may be negative."""
    return (int(part) + _SIGN) % (2 * _SIGN) - _SIGN


def parts(output: object, path: str = "output") -> Iterator[tuple[str, object]]:
    """Every number, text and row of bytes inside an output, with the place it stands at."""
    if isinstance(output, Mapping):
        for key, value in output.items():
            yield from parts(value, f"{path}[{_text(key)}]")
    elif isinstance(output, Set):
        for value in output:
            yield f"{_text(value)} in {path}", 1
    elif isinstance(output, list | tuple):
        for place, value in enumerate(output):
            yield from parts(value, f"{path}[{place}]")
    elif isinstance(output, np.ndarray):
        yield from parts(output.tolist(), path)
    elif isinstance(output, bytes):
        yield path, output
        yield from ((f"{path}[{place}]", byte) for place, byte in enumerate(output[:_MOST_BYTES]))
    elif isinstance(output, str | Fraction | float | np.floating) or _is_integer(output):
        yield path, output


def _is_integer(part: object) -> bool:
    return isinstance(part, int | np.integer | np.bool_)


def _number(part: object) -> float:
    if part is None or isinstance(part, str | bytes):
        return np.nan
    try:
        return float(part)  # type: ignore[arg-type]
    except OverflowError:
        return np.inf if part > 0 else -np.inf  # type: ignore[operator]


def _kind(output: object) -> str | int:
    if isinstance(output, Raised):
        return repr(output)
    if isinstance(output, float | np.floating):
        return int(kinds(np.array([output]))[0])
    if isinstance(output, bool | np.bool_):
        return TRUTH
    if _is_integer(output):
        return INTEGER
    name = "nothing" if output is None else type(output).__name__
    return f"{name} of {len(output)}" if isinstance(output, list | tuple | np.ndarray) else name


def _identity(output: object) -> str | int:
    if isinstance(output, float | np.floating):
        return int(bits(np.array([output]))[0])
    if _is_integer(output) and abs(int(output)) < _FITS:  # type: ignore[call-overload]
        return int(output)  # type: ignore[call-overload, no-any-return]
    return _text(output)


def _text(output: object) -> str:
    """The output written out; addresses in memory, which say nothing, are left out."""
    if isinstance(output, np.ndarray):
        output = output.tolist()
    if isinstance(output, Set):
        return "{" + ", ".join(sorted(map(_text, output))) + "}"
    try:
        text = repr(output)
    except Exception:  # a foreign object may not know how to write itself
        return type(output).__name__
    return type(output).__name__ if " at 0x" in text else text


def _coded(texts: Sequence[str | int | None], labels: dict[int, str]) -> Codes:
    """A code for each text, the same in every call; 0 for none. Integers are their own codes."""
    table = {text: _code(text) for text in set(texts) if isinstance(text, str)}
    for text, code in table.items():
        labels[code] = text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
    coded = [0 if x is None else table[x] if isinstance(x, str) else x for x in texts]
    return np.array(coded, dtype=np.int64)


@lru_cache(maxsize=1 << 16)
def _code(text: str) -> int:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)
