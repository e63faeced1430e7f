"""The privacy loss of additive noise: each shape in the form that composes best."""

from fractions import Fraction

from leastnoise.errors import UnsupportedQuery
from leastnoise.noise.shapes.gaussian_shape import GaussianShape
from leastnoise.noise.shapes.lattice_part import cut_stairs_part, gaussian_part, stairs_part
from leastnoise.noise.shapes.shape import Shape
from leastnoise.noise.shapes.shift_divergence import shape_renyi
from leastnoise.noise.shapes.shift_variable import ShiftVariable
from leastnoise.noise.shapes.stairs import Stairs
from leastnoise.numeric.interval import Interval
from leastnoise.privacy.loss import PrivacyLoss
from leastnoise.privacy.variables.edged_variable import EdgedPart
from leastnoise.privacy.variables.lattice_variable import LatticePart, LatticeVariable
from leastnoise.privacy.variables.loss_variable import LossVariable, Order


def shift_loss(shape: Shape, distance: int) -> PrivacyLoss:
    """The loss between X and X + distance; a group of m moves the value by m times as much.

    For a symmetric, unimodal law the largest shift is the worst for every ε at once
    (`LatticeLaw.verify`), and both directions are alike. Another law has no worst shift, so it is
    priced at distance 1 only, in both directions.
    """
    if distance > 1 and not shape.symmetric_unimodal:
        raise UnsupportedQuery(
            "`distance` must be 1 for a law that is not symmetric and unimodal, since no single "
            f"shift is the worst; got distance={distance}. Find its epsilon and delta with verify, "
            "then use PrivacyLoss.worst_case."
        )

    def of_group(size: int) -> PrivacyLoss:
        return shift_loss(shape, distance * size)

    forward = _variable(shape, distance)
    backward = None if shape.symmetric_unimodal else _variable(shape, -distance)
    return PrivacyLoss(forward, backward, of_group)


def _variable(shape: Shape, shift: int) -> LossVariable:
    def renyi(order: Order) -> Interval:
        return shape_renyi(shape, order, shift)

    part: LatticePart | None = None
    edged: EdgedPart | None = None
    step: Fraction | None = None
    if isinstance(shape, Stairs):
        part = stairs_part(shape, abs(shift))
        edged = cut_stairs_part(shape, abs(shift), renyi)
        step = shape.rate or None  # all losses but those at a cut-off's edge
    elif isinstance(shape, GaussianShape):
        part = gaussian_part(shape, abs(shift), renyi)
        step = abs(shift) / (2 * shape.sigma_squared)
    if part is not None:
        return LatticeVariable(((part, 1),))
    return ShiftVariable(shape, shift, renyi, step, edged)
