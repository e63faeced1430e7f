"""`leastnoise sample-size` tells each bound with its scope."""

import json

from tests.cli.run import run

ASKED = (
    "sample-size", "--dimension", "20", "--error", "0.01", "--epsilon", "1", "--delta", "1e-5",
    "--objective", "squared",
)  # fmt: skip


def test_bounds_with_their_scope() -> None:
    shown = run(*ASKED)
    told = json.loads(run(*ASKED, "--json").output)
    assert [bound["scope"].partition(",")[0] for bound in told["bounds"]] == [
        "every mechanism",
        "answers without bias",
        "answers without bias",
    ]
    assert told["bounds"][0]["records"] == told["impossible_below"] <= told["records"]
    for bound in told["bounds"][1:]:
        said = f"with fewer than {bound['records']:,} none of this kind can: {bound['scope']}"
        assert said in " ".join(shown.output.split())
