"""`in_child`: run a function in a forked copy of this process."""

import os
import warnings
from collections.abc import Callable


def in_child(work: Callable[[], bytes]) -> bytes:
    """What `work` returns in the child; nothing if it raises."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 and later warn if the parent has threads. Here that is the point.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            os.write(writer, work())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer
