"""All rooms of the museum: importing them puts their exhibits on show."""

from tests.museum import (
    compositions,
    concentrated,
    floating_point,
    noise_laws,
    random_numbers,
    releases,
    selections,
    sensitivities,
    sparse_vectors,
    streams,
    thresholds,
)
from tests.museum.exhibit import EXHIBITS, Exhibit

ROOMS = (
    floating_point,
    random_numbers,
    sensitivities,
    noise_laws,
    thresholds,
    selections,
    compositions,
    concentrated,
    sparse_vectors,
    releases,
    streams,
)


def exhibits() -> list[Exhibit]:
    """Everything on show, in the order it was hung."""
    return list(EXHIBITS.values())
