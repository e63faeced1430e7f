"""Auditing foreign code works; what is asserted about it holds for the versions named."""

from importlib.metadata import PackageNotFoundError, version

import pytest

from examples.audit_peers import dp_accounting, opendp


def installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@pytest.mark.skipif(installed("opendp") is None, reason="opendp is not installed")
def test_a_measurement_of_opendp() -> None:
    integers = next(opendp(samples=4_000))
    assert not integers.violated
    assert "no violation found up to ε = " in integers.verdict


@pytest.mark.slow
@pytest.mark.skipif(installed("opendp") is None, reason="opendp is not installed")
def test_measurements_of_opendp() -> None:
    integers, floats, threshold = opendp()
    assert not integers.violated
    assert not floats.violated
    if installed("opendp") == "0.16.0":
        assert threshold.violated  # the δ of single keys is reported as 0.0049 and is 0.0133


@pytest.mark.skipif(installed("dp-accounting") is None, reason="dp-accounting is not installed")
def test_an_accountant() -> None:
    (found,) = dp_accounting()
    if installed("dp-accounting") == "0.6.0":
        assert found.violated
