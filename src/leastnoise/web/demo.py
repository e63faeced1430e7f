"""Invented visits to try the page with: the same in every run, about nobody."""

from collections.abc import Iterator
from pathlib import Path

_PATIENTS = 4000
_CITIES = ("Oslo", "Oslo", "Oslo", "Bergen", "Bergen", "Trondheim", "Stavanger", "Tromsø")
_COMPLAINTS = ("cough", "back pain", "check-up", "fever", "headache", "rash", "sprain")
NAME = "invented-visits.csv"


def write_demo(folder: Path) -> Path:
    """A CSV file of some thousand visits; one patient has up to seven of them."""
    place = folder / NAME
    lines = ("patient_id,city,complaint,age,cost,is_smoker", *_visits())
    place.write_text("\n".join(lines) + "\n", "utf-8")
    return place


def _visits() -> Iterator[str]:
    for patient in range(_PATIENTS):
        home, age = _CITIES[_mixed(patient, 1) % 8], 1 + _mixed(patient, 2) % 95
        smoker = "true" if age > 15 and _mixed(patient, 3) % 5 == 0 else "false"
        for visit in range(1 + _mixed(patient, 4) % 4 + _mixed(patient, 5) % 4):
            seen = _mixed(patient, 10 + visit)
            city = home if seen % 13 else _CITIES[seen // 13 % 8]
            what, cost = _COMPLAINTS[seen // 97 % 7], 40 + seen // 7 % 360
            yield f"p{patient:05},{city},{what},{age},{cost}.{seen % 10}0,{smoker}"


def _mixed(number: int, salt: int) -> int:
    """A number that looks as if it came by chance, from the middle of a product."""
    return ((number * 1009 + salt * 7919 + 12345) * 2654435761 >> 13) % 1_000_003
