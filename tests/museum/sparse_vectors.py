"""The sparse vectors of tests/mechanisms/broken_sparse_vectors.py, on show."""

from tests.mechanisms.broken_sparse_vectors import CASES
from tests.museum.evidence import Transcribed
from tests.museum.exhibit import show

for name, case in CASES.items():
    text = f"{type(case.machine).__doc__}\n\nShown by: LyuSuLi2017."
    evidence = Transcribed(neighbours=(case.one, case.other), epsilon=case.noise.epsilon)
    show(f"sparse vector: {name}", case.machine, text, evidence, __name__)
