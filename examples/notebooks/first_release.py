"""A first release: a made-up survey, a plan, a preview, a ledger, a report.

Look at it with `marimo edit examples/notebooks/first_release.py`, or run it as a plain script.
Needs the extra `notebooks`.
"""

# The notebook's editor writes cells without types, each with a return.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
# ruff: noqa: PLR1711

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="A first release")


with app.setup:
    import tempfile
    from pathlib import Path

    import duckdb
    import marimo as mo

    import leastnoise as ln


@app.cell
def _():
    folder = Path(tempfile.mkdtemp())
    return (folder,)


@app.cell
def _():
    mo.md("""
    # A first release

    ## 1. The data

    A made-up survey of 6000 people. Yours is a file or a database:
    `ln.read("survey.parquet", unit="person")`.
    """)
    return


@app.cell
def _(folder):
    place = folder / "survey.parquet"
    duckdb.execute(f"""
        COPY (
            SELECT i AS person, ['north', 'south', 'west'][1 + i % 3] AS region,
                   18 + i * 37 % 70 AS age
            FROM range(6000) AS made(i)
        ) TO '{place}'
    """)
    table = ln.read(place, unit="person", dataset="survey")
    return (table,)


@app.cell
def _(table):
    regions = ["north", "south", "west"]  # known without looking at the rows
    plan = (
        ln.plan(table, max_groups=1, max_rows=1)
        .count_units(by="region", keys=regions, name="people")
        .mean("age", lower=18, upper=100, name="age", expected=1000)
    )
    mo.md("## 2. The plan: questions, and nothing from the rows")
    return plan, regions


@app.cell
def _(plan):
    budget = ln.PureDP(epsilon=1)
    preview = [
        {"question": told.question, "mean error": told.error_words, "95 %": told.interval_words}
        for told in plan.preview(budget)
    ]
    mo.vstack(
        [mo.md("## 3. Errors, before anything is spent"), mo.ui.table(preview, selection=None)]
    )
    return budget, preview


@app.cell
def _(budget, folder, plan):
    ledger = ln.Ledger(
        folder / "budget.db", total=ln.PureDP(epsilon=2), dataset="survey", begin=True
    )
    release = plan.release(budget, ledger=ledger, purpose="a first release")
    mo.vstack(
        [
            mo.md("## 4. The release"),
            mo.ui.table(release["people"].records(), selection=None),
            mo.md(f"Left in the ledger: {ledger.remaining}."),
        ]
    )
    return ledger, release


@app.cell
def _(folder, release):
    report = folder / "report.html"
    release.report(report)
    mo.md(f"""
    ## 5. A page for people

    `report.html` has {report.stat().st_size // 1024} kB, no scripts, and loads nothing: what was
    asked, who is protected and how well, every table, what it cost, and how to check it.
    """)
    return (report,)


if __name__ == "__main__":
    app.run()
