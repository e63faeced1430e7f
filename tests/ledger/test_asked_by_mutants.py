"""What no other test noticed when it was changed: `make mutants`."""

from pathlib import Path

from leastnoise.ledger import Ledger
from leastnoise.ledger.chain import canonical
from leastnoise.ledger.entry import Charge, event_text
from leastnoise.privacy.guarantee import PureDP


def test_two_ledgers_of_one_file_see_each_others_charges(tmp_path: Path) -> None:
    """Each remembers the lines it knows, and reads all that came after."""
    place, cost = tmp_path / "budget.db", PureDP(epsilon=1)
    one, two = Ledger(place, total=PureDP(epsilon=10), begin=True), Ledger(place)
    one.charge(cost, purpose="a")
    two.charge(cost, purpose="b")
    two.charge(cost, purpose="c")
    entry = one.charge(cost, purpose="d")
    assert entry.number == 4
    purposes = [each.event.purpose for each in one._seen.entries if isinstance(each.event, Charge)]
    assert purposes == ["a", "b", "c", "d"]
    assert one.spent == two.spent == PureDP(epsilon=4)


def test_lines_are_written_as_they_always_were() -> None:
    """Hashes are taken of the text: another way to write it would break every ledger there is."""
    assert canonical({"b": "é", "a": [1]}) == '{"a":[1],"b":"é"}'
    one = event_text(Charge((PureDP(epsilon=1),), "", {}, ""))
    assert isinstance(one["cost"], dict)
    two = event_text(Charge((PureDP(epsilon=1), PureDP(epsilon=2)), "", {}, ""))
    assert isinstance(two["cost"], list)
