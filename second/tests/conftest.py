"""What all tests have in common: the sensitivity oracle looks at every release."""

from typing import Any

import pytest

from leastnoise.release import release, run
from tests import oracle


@pytest.fixture(autouse=True)
def _every_release_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """No total of a release moves further than its sensitivity when a unit leaves."""

    def checked(proposal: Any, *args: Any, **kwargs: Any) -> Any:
        found = run.run(proposal, *args, **kwargs)
        oracle.check(proposal)
        return found

    monkeypatch.setattr(release, "run", checked)
