"""Make the table of the demo: invented visits of invented patients, the same in every run.

Usage: make_visits.py [PLACE]. Writes a Parquet file of some hundred thousand rows.
"""

import sys
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

SEED = 20261115
PATIENTS = 24_000
CITIES = {
    "Oslo": 36, "Bergen": 15, "Trondheim": 11, "Stavanger": 8, "Kristiansand": 6,
    "Tromsø": 5, "Drammen": 5, "Bodø": 3,
}  # fmt: skip
COMPLAINTS = (
    "cough", "back pain", "check-up", "fever", "headache", "rash", "sore throat", "hypertension",
    "diabetes care", "sprain", "ear infection", "fatigue", "anxiety", "allergy", "insomnia",
    "migraine", "asthma", "knee pain", "vaccination", "burn", "fracture", "vertigo", "anaemia",
    "gout", "shingles",
)  # fmt: skip
RARE = tuple(f"rare condition {number}" for number in range(1, 201))

Column = NDArray[np.generic]


def main(place: Path) -> None:
    """Write the table."""
    place.parent.mkdir(parents=True, exist_ok=True)
    part = place.with_name(f"{place.name}.part")
    with duckdb.connect() as database:
        database.register("visits", columns(np.random.default_rng(SEED)))
        database.sql("FROM visits").write_parquet(str(part))
        (found,) = database.sql("SELECT count(*) FROM visits").fetchall()
    part.replace(place)
    print(f"{found[0]:,} rows in {place}")


def columns(chance: np.random.Generator) -> dict[str, Column]:
    """All columns: patients first, then the visits that each of them made."""
    age = np.clip(np.rint(chance.normal(44, 24, PATIENTS)), 0, 104).astype(np.int32)
    smoker = chance.random(PATIENTS) < np.where(age >= 16, 0.17, 0)
    diabetic = chance.random(PATIENTS) < 0.01 + 0.0018 * age
    insured = chance.random(PATIENTS) < 0.82
    visits = 1 + chance.poisson(2.2 + age / 40 + 1.5 * diabetic)
    who = np.repeat(np.arange(PATIENTS), visits)
    towns = np.array(list(CITIES)), np.array(list(CITIES.values())) / sum(CITIES.values())
    home = chance.choice(len(CITIES), PATIENTS, p=towns[1])
    away = chance.choice(len(CITIES), len(who), p=towns[1])
    city = np.where(chance.random(len(who)) < 0.93, home[who], away)
    shuffled = chance.permutation(len(who))
    found: dict[str, Column] = {
        "patient_id": 100_000 + who,
        "city": towns[0][city].astype(object),
        "month": chance.integers(1, 13, len(who), dtype=np.int32),
        "age": age[who],
        "smoker": smoker[who],
        "diabetic": diabetic[who],
        "insured": insured[who],
        "complaint": complaints(chance, len(who)),
        "cost": np.minimum(  # the list of prices ends at 600
            np.round(chance.lognormal(4.6, 0.7, len(who)) * (1 + diabetic[who]), 2), 600
        ),
    }
    return {name: values[shuffled] for name, values in found.items()}


def complaints(chance: np.random.Generator, count: int) -> Column:
    """Few complaints are common; some that few people have must not be seen in a release."""
    names = np.array([*COMPLAINTS, *RARE], dtype=object)
    weights = np.array([*(1 / (4 + n) for n in range(len(COMPLAINTS))), *[2e-5] * len(RARE)])
    return names[chance.choice(len(names), count, p=weights / weights.sum())]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "visits.parquet"))
