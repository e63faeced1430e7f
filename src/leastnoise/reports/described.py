"""A release for machines: a schema.org Dataset, CSV on the Web, and the registry of deployments."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from leastnoise.people import said_law
from leastnoise.privacy.guarantee import GDP, RDP, ZCDP, ApproxDP, PureDP
from leastnoise.release.result.day_values import DATED
from leastnoise.release.result.plan_release import PlanRelease
from leastnoise.release.result.released_table import ReleasedTable
from leastnoise.reports.first_screen import cite_as, title_of
from leastnoise.reports.numbers import iso_day
from leastnoise.reports.promise import protected

Files = Mapping[str, Mapping[str, str]]
_FORMS = {
    "csv": "text/csv",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
_COLUMNS = {
    "value": ("number", "the answer, with noise"),
    "standard_error": ("number", "standard error of the noise"),
    "lower": ("number", "lower end of the 95 % interval"),
    "upper": ("number", "upper end of the 95 % interval"),
    "grade": ("string", "reliability: A to 5 %, B to 15 %, C to 25 % of the answer, D beyond"),
}


def described(name: str, release: PlanRelease, files: Files) -> str:
    """The content of a file beside a report.

    Args:
        name: "dataset.json", "csv-metadata.json" or "registry.yaml".
        release: what was released.
        files: for each question, by its name, its files, by their form.
    """
    forms = {"dataset.json": dataset_json, "csv-metadata.json": csvw_json}
    return forms[name](release, files) if name in forms else registry_yaml(release)


def _date(release: PlanRelease) -> str:
    return iso_day(release.entry.time)


def _description(release: PlanRelease) -> str:
    words = release.facts.publication.description
    tables = f"{len(release.tables)} tables under {release.guarantee}."
    return f"{words} {tables}".strip()


def _known(pairs: dict[str, Any]) -> dict[str, Any]:
    """Without what nobody said."""
    return {name: value for name, value in pairs.items() if value not in ("", None, [], {})}


def dataset_json(release: PlanRelease, files: Files) -> str:
    """The release as a Dataset of schema.org, in JSON-LD."""
    words = release.facts.publication
    who = {"@type": "Organization", "name": words.publisher} if words.publisher else None
    downloads = [
        {
            "@type": "DataDownload",
            "name": question,
            "contentUrl": name,
            "encodingFormat": _FORMS.get(form, "application/octet-stream"),
        }
        for question, each in files.items()
        for form, name in each.items()
    ]
    whole = {
        "@type": "DataDownload",
        "name": "everything",
        "contentUrl": "release.json",
        "encodingFormat": "application/json",
    }
    told = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": title_of(release),
        "description": _description(release),
        "creator": who,
        "publisher": who,
        "license": words.licence,
        "citation": cite_as(release),
        "datePublished": _date(release),
        "identifier": release.digest,
        "spatialCoverage": words.region,
        "measurementTechnique": str(release.guarantee),
        "variableMeasured": [_variable(release, table) for table in release.tables],
        "distribution": [whole, *downloads],
    }
    return json.dumps(_known(told), ensure_ascii=False, indent=1)


def _variable(release: PlanRelease, table: ReleasedTable) -> dict[str, Any]:
    told = {each.forecast.question: each for each in release.facts.questions}.get(table.name)
    return _known(
        {
            "@type": "PropertyValue",
            "name": table.name,
            "description": "" if told is None else told.words,
            "unitText": "" if told is None else told.measure,
            "measurementTechnique": said_law(table.mechanism),
        }
    )


def csvw_json(release: PlanRelease, files: Files) -> str:
    """The CSV files as a group of tables of CSV on the Web."""
    words = release.facts.publication
    told = {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:title": title_of(release),
        "dc:publisher": words.publisher,
        "dc:license": words.licence,
        "dc:issued": _date(release),
        "tables": [
            {
                "url": files[table.name]["csv"],
                "dc:title": table.name,
                "tableSchema": {
                    "columns": list(_columns(table)),
                    **({"primaryKey": _keys(table)} if table.columns else {}),
                },
            }
            for table in release.tables
            if "csv" in files.get(table.name, {})
        ],
    }
    return json.dumps(_known(told), ensure_ascii=False, indent=1)


def _keys(table: ReleasedTable) -> list[str]:
    return list(table.plain_columns())[: len(table.columns)]


def _columns(table: ReleasedTable) -> Iterator[dict[str, Any]]:
    found = table.plain_columns()
    for place, (name, cells) in enumerate(found.items()):
        if place < len(table.columns):
            yield {"name": name, "titles": name, "datatype": _datatype(cells), "required": True}
        elif name in _COLUMNS:
            kind, meaning = _COLUMNS[name]
            whole = name == "value" and table.values.dtype == np.int64
            dated = table.dated and name in DATED
            datatype = "date" if dated else "integer" if whole else kind
            yield {"name": name, "titles": name, "datatype": datatype, "dc:description": meaning}
        else:
            yield {"name": name, "titles": name, "datatype": "string"}


def _datatype(cells: list[Any]) -> str:
    kinds = {type(cell).__name__ for cell in cells if cell is not None}
    names = {"bool": "boolean", "int": "integer", "float": "number", "date": "date"}
    return names.get(kinds.pop(), "string") if len(kinds) == 1 else "string"


def registry_yaml(release: PlanRelease) -> str:
    """An entry in the form of the public registry of deployments of differential privacy.

    What only the publisher knows is left for them to fill in.
    """
    words, facts = release.facts.publication, release.facts
    laws = dict.fromkeys(said_law(table.mechanism) for table in release.tables)
    entry = {
        "url_slug": _slug(title_of(release), _date(release)[:4]),
        "status": "Draft",
        "tier": 2,
        "deployment": {
            "basic": {
                "name": title_of(release),
                "data_curators": [words.publisher or "to be filled in"],
                "description": _description(release),
                "intended_use": words.intended_use or "to be filled in",
                "data_product_type": "Summary statistics",
                "data_product_region": words.region or "to be filled in",
                "publication_date": _date(release),
            },
            "dp_variant": {"variant_name": _variant(release)},
            "privacy_loss": {
                "privacy_unit": facts.person,
                "privacy_unit_details": protected(facts),
                "privacy_parameters": _parameters(release),
            },
            "deployment_model": {
                "model_name": "Central",
                "release_type": "One release",
                "data_source_type": "Static",
                "access_type": "Non-interactive",
            },
            "implementation": {
                "mechanisms": f"{'; '.join(laws)}. leastnoise {facts.version}, exact samplers: no "
                "floating-point numbers where noise is drawn.",
            },
            "administrative": {"registry_authors": [words.publisher or "to be filled in"]},
        },
    }
    return "".join(_yaml(entry, 0))


def _variant(release: PlanRelease) -> str:
    kinds = {PureDP: "Pure DP", ApproxDP: "Approximate DP", ZCDP: "Zero-concentrated DP"}
    return kinds.get(
        type(release.guarantee), "Renyi DP" if isinstance(release.guarantee, RDP) else "Custom"
    )


def _parameters(release: PlanRelease) -> dict[str, Any]:
    match release.guarantee:
        case PureDP() as promise:
            return {"epsilon": float(promise.epsilon)}
        case ApproxDP() as promise:
            return {"epsilon": float(promise.epsilon), "delta": float(promise.delta)}
        case ZCDP() as promise:
            delta = {"delta": float(promise.delta)} if promise.delta else {}
            return {"rho": float(promise.rho), **delta}
        case RDP() as promise:
            return {"epsilon": float(promise.epsilon)}
        case GDP():
            return {}


def _slug(title: str, year: str) -> str:
    plain = "".join(each if each.isalnum() else "-" for each in title.lower())
    parts = [part for part in plain.split("-") if part and part.isascii()]
    return "-".join([*parts[:10], year]) if parts else f"release-{year}"


def _yaml(value: dict[str, Any], depth: int) -> Iterator[str]:
    """Plain YAML; texts are quoted as JSON quotes them, which YAML reads the same way."""
    indent = "  " * depth
    for name, each in value.items():
        if isinstance(each, dict):
            yield f"{indent}{name}:\n" if each else f"{indent}{name}: {{}}\n"
            yield from _yaml(each, depth + 1)
        elif isinstance(each, list):
            yield f"{indent}{name}:\n"
            yield from (f"{indent}  - {_scalar(item)}\n" for item in each)
        else:
            yield f"{indent}{name}: {_scalar(each)}\n"


def _scalar(value: Any) -> str:
    if isinstance(value, float):  # YAML 1.1 wants a point in numbers with exponents
        text = repr(value)
        return text.replace("e", ".0e", 1) if "e" in text and "." not in text else text
    return json.dumps(value, ensure_ascii=False)
