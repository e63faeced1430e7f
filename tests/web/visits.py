"""A small file of visits, with values that must never be seen on the page."""

from pathlib import Path

CITIES = ("Oslo", "Bergen", "Trondheim")
SECRET = "Hidden-hamlet"


def write_visits(folder: Path, people: int = 300) -> Path:
    """Two visits of each person; one city that nobody may learn of."""
    lines = ["patient_id,city,age,cost,smoker"]
    for person in range(people):
        city = SECRET if person == 7 else CITIES[person % 3]
        lines += [
            f"p{person},{city},{20 + person % 60},{100 + person % 7},{str(person % 2 == 0).lower()}"
        ] * 2
    path = folder / "visits.csv"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def plan(**changes: object) -> dict[str, object]:
    """A plan for the file as the page sends it."""
    return {
        "data": {
            "path": "visits.csv",
            "unit": "patient_id",
            "types": {"age": "integer", "cost": "number", "smoker": "truth"},
        },
        "bounds": {"max_groups": 1, "max_rows": 2},
        "budget": {
            "ledger": "budget.db",
            "spend": {"epsilon": "1"},
            "total": {"epsilon": "3"},
            "purpose": "a test",
        },
        "question": [
            {"ask": "units", "by": "city", "keys": list(CITIES)},
            {"ask": "mean", "column": "age", "lower": "0", "upper": "100"},
        ],
    } | changes
