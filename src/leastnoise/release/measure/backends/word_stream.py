"""One column of 64-bit words out of DuckDB, batch after batch.

The whole answer is never held. Batches come through Arrow's C interface, which is a few
structures in memory and takes no library.
"""

import ctypes
from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import BackendError

Words: TypeAlias = NDArray[np.uint64]

_NAME = b"arrow_array_stream"
_UNSIGNED_64 = b"L"


class _Schema(ctypes.Structure):
    """What Arrow calls ArrowSchema."""


class _Batch(ctypes.Structure):
    """What Arrow calls ArrowArray."""


class _Stream(ctypes.Structure):
    """What Arrow calls ArrowArrayStream."""


def _releasing(kind: type[ctypes.Structure]) -> Any:
    return ctypes.CFUNCTYPE(None, ctypes.POINTER(kind))


def _filling(kind: type[ctypes.Structure]) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(kind))


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _releasing(_Schema)),
    ("private_data", ctypes.c_void_p),
]
_Batch._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Batch))),
    ("dictionary", ctypes.POINTER(_Batch)),
    ("release", _releasing(_Batch)),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _filling(_Schema)),
    ("get_next", _filling(_Batch)),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", _releasing(_Stream)),
    ("private_data", ctypes.c_void_p),
]


def streamed_words(relation: Any, take: Callable[[Words], None]) -> None:
    """Hands on the only column of a relation, batch after batch, in no certain order.

    Args:
        relation: of DuckDB; its column is of unsigned integers of 64 bits, and never NULL.
        take: copies what it is given.

    Raises:
        BackendError: they are something else.
    """
    # A stream that is left open would keep its connection from all else.
    with closing(_batches(relation)) as batches:
        for batch in batches:
            take(batch)


def _batches(relation: Any) -> Generator[Words, None, None]:
    """Each is to be copied before the next is asked for."""
    capsule = relation.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(pointer(capsule, _NAME), ctypes.POINTER(_Stream))
    _refuse_other_kinds(stream)
    while True:
        batch = _Batch()
        _refuse_failure(stream, stream.contents.get_next(stream, ctypes.byref(batch)))
        if not batch.release:
            return  # the end; the capsule lets go of the stream by itself
        try:
            yield _column(batch)
        finally:
            batch.release(ctypes.byref(batch))


def _refuse_other_kinds(stream: Any) -> None:
    schema = _Schema()
    _refuse_failure(stream, stream.contents.get_schema(stream, ctypes.byref(schema)))
    kinds = [schema.children[i].contents.format for i in range(schema.n_children)]
    schema.release(ctypes.byref(schema))
    _refuse_unless(kinds == [_UNSIGNED_64])


def _refuse_unless(as_asked: bool) -> None:
    """Memory is read as what it was checked to be, and as nothing else."""
    if not as_asked:
        raise BackendError("the data engine must answer with words, none of them NULL.")


def _refuse_failure(stream: Any, status: int) -> None:
    """Raises what tells that memory was lacking, if it was; nothing else of what is said."""
    if not status:
        return
    import duckdb  # noqa: PLC0415 - whoever only draws noise need not have it loaded

    said = stream.contents.get_last_error(stream) or b""
    lacking = said.lower().startswith(b"out of memory")
    raise duckdb.OutOfMemoryException("stream") if lacking else duckdb.Error("stream")


def _column(batch: Any) -> Words:
    _refuse_unless(batch.n_children == 1 and batch.offset == 0)
    column = batch.children[0].contents
    _refuse_unless(column.length == batch.length and column.n_buffers == 2)
    _refuse_unless(column.null_count == 0 or not column.buffers[0])
    if not column.length:
        return np.zeros(0, np.uint64)
    address = column.buffers[1] + 8 * column.offset
    kind = ctypes.POINTER(ctypes.c_uint64)
    return np.ctypeslib.as_array(ctypes.cast(address, kind), (column.length,))
