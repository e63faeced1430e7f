"""Mechanisms that several tests take for an example of their kind."""

from leastnoise.mechanisms import Box, CentredGaussian, Everyone, Precision

CENTRED = CentredGaussian(
    parts=[Box(0, 1, cells=2), Everyone()],
    precisions=[Precision(own=10**6, centre=1, scale=2), Precision(own=1, centre=0, scale=1)],
    common=10**6,
    steps=1,
    parameter=10**12,
)
