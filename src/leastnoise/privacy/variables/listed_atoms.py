"""`ListedAtoms`: a loss with listed values, and what is known of those that are not."""

from leastnoise._dataclass import dataclass
from leastnoise.privacy.variables.grid_cells import RELATIVE_ERROR, Cells, cells_of_atoms
from leastnoise.privacy.variables.pooling import Floats


@dataclass(frozen=True)
class ListedAtoms:
    """Losses and their masses.

    Args:
        losses: finite ones.
        masses: of these losses.
        infinite: a lower bound on the mass at ∞.
        lost: an upper bound on mass that is not listed.
        beneath: an upper bound on mass that is not listed and lies below all that is.
        loss_error: by how much a loss may err; RELATIVE_ERROR of the largest if not given.
        mass_error: by which part of itself a mass may err.
    """

    losses: Floats
    masses: Floats
    infinite: float
    lost: float
    beneath: float = 0.0
    loss_error: float | None = None
    mass_error: float = RELATIVE_ERROR

    def cells(self, step: float) -> Cells:
        """The atoms, on the grid or between its points."""
        return cells_of_atoms(
            self.losses,
            self.masses,
            step,
            infinite=self.infinite,
            lost=self.lost,
            beneath=self.beneath,
            loss_error=self.loss_error,
            mass_error=self.mass_error,
        )
