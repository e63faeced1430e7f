r"""`UnownedRows`: how many rows have no unit, each taken for a unit of its own."""

from leastnoise._dataclass import dataclass
from leastnoise.release.ask.bounds import ONE_ROW
from leastnoise.release.step.aggregate import CountRows
from leastnoise.release.step.measurement import Measurement


@dataclass(frozen=True, init=False)
class UnownedRows(Measurement):
    r"""The number of rows whose unit is missing. It has no parts: nobody can ask for other rows.

    Theorem: neighbours that differ by the rows of one unit have the same number of such rows;
    tables that differ by one row without a unit, added, removed or replaced, have numbers that
    differ by 1 at most, and differ in no other measurement.
    Proof: a row with a unit is not counted here, and a row without one is counted nowhere else
    (docs/proofs/sensitivity.md, section 1).
    """

    def __init__(self) -> None:
        super().__init__((CountRows(),), ONE_ROW)
