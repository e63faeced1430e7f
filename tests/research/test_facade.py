"""What moved to research is still exported where it was, and loaded when asked for."""

import pytest

from leastnoise import groupwise
from leastnoise.research.product_noise import ProductNoise
from tests.run_python import run_python


def test_the_names_are_where_they_were() -> None:
    assert groupwise.ProductNoise is ProductNoise
    assert all(getattr(groupwise, name) for name in groupwise.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        groupwise.nothing  # noqa: B018


def test_research_can_be_imported_first_and_is_not_loaded_for_others() -> None:
    assert run_python("import leastnoise.research.comparison") == ""
    others = "import sys, leastnoise.groupwise; print('leastnoise.research' in sys.modules)"
    assert run_python(others).strip() == "False"
