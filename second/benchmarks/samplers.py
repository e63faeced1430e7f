"""Exact noise beside OpenDP's exact noise and NumPy's inexact noise, per draw."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from benchmarks import Row, medians
from leastnoise.noise.gaussian import rounded_gaussian
from leastnoise.noise.laplace import discrete_laplace
from leastnoise.noise.source import system_source

COUNT = 10**6
OF_OPENDP = 2000  # draws: it takes about a tenth of a millisecond for each
SCALES = {"10": 10.0, "2^51": 2.0**51}


def _opendp(law: str, scale: float) -> dict[str, Callable[[], object]]:
    """OpenDP's draws of discrete noise for integers, in one vector and one by one."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    make = dp.m.make_laplace if law == "Laplace" else dp.m.make_gaussian
    many = dp.l1_distance(T="i64") if law == "Laplace" else dp.l2_distance(T=float)
    one = dp.absolute_distance(T="i64" if law == "Laplace" else float)
    number = dp.atom_domain(T="i64")
    vector, single = make(dp.vector_domain(number), many, scale), make(number, one, scale)
    zeros = [0] * OF_OPENDP
    return {"in one vector": lambda: vector(zeros), "one by one": lambda: [*map(single, zeros)]}


def rows(size: int) -> Iterator[Row]:  # noqa: ARG001
    """How many times as fast as the two others."""
    source, random = system_source(), np.random.default_rng(1)
    for name, scale in SCALES.items():
        whole = Fraction(int(scale))
        of_numpy: dict[str, Callable[[], object]] = {
            "Laplace": lambda scale=scale: random.laplace(0.0, scale, COUNT),  # type: ignore[misc]
            "Gaussian": lambda scale=scale: random.normal(0.0, scale, COUNT),  # type: ignore[misc]
        }
        ours: dict[str, Callable[[], object]] = {
            "Laplace": lambda whole=whole: discrete_laplace(whole, COUNT, source),  # type: ignore[misc]
            "Gaussian": lambda whole=whole: rounded_gaussian(whole**2, COUNT, source),  # type: ignore[misc]
        }
        for law, least in (("Laplace", 1 / 3), ("Gaussian", 1 / 20)):
            ours[law]()  # tables are made once
            others = _opendp(law, scale)
            taken = medians({"ours": ours[law], "numpy": of_numpy[law], **others})
            speed = f"{COUNT / taken['ours'].clock / 1e6:.1f} million draws a second"
            for way in others:
                ratio = (taken[way].clock / OF_OPENDP) / (taken["ours"].clock / COUNT)
                yield Row(
                    f"{law}, scale {name}: speed over OpenDP's, {way}",
                    ratio,
                    least=1000,
                    note=speed,
                )
            yield Row(
                f"{law}, scale {name}: speed over NumPy's inexact",
                taken["numpy"].clock / taken["ours"].clock, least=least,
            )  # fmt: skip
