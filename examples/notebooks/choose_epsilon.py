"""Choosing ε: what a budget means, what it costs, what else would do.

Look at it with `marimo run examples/notebooks/choose_epsilon.py`, change it with `marimo edit`, or
run it as a plain script. Needs the extra `notebooks`.
"""

# The notebook's editor writes cells without types, each with a return.
# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
# ruff: noqa: PLR1711

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Choosing ε")


with app.setup:
    import marimo as mo

    import leastnoise as ln


@app.cell
def _():
    mo.md("""
    # Choosing ε

    A count of people is to be published. One person changes it by at most the *sensitivity*. Move
    the dials, and see what an attacker could learn and how far off the number will be.
    """)
    return


@app.cell
def _():
    epsilon = mo.ui.slider(steps=[0.1, 0.2, 0.5, 1, 2, 4, 8], value=1, label="ε", show_value=True)
    sensitivity = mo.ui.slider(1, 20, value=1, label="sensitivity", show_value=True)
    mo.vstack([epsilon, sensitivity])
    return epsilon, sensitivity


@app.cell
def _(epsilon, sensitivity):
    chosen = ln.optimal(sensitivity=sensitivity.value, epsilon=str(epsilon.value))
    promise = ln.PureDP(epsilon=str(epsilon.value))
    return chosen, promise


@app.cell
def _(chosen, promise):
    mo.md(f"""
    ## What an attacker could learn

    {promise.plot().words}

    ## What it costs

    In 95 of 100 releases the number is within **±{float(chosen.error("0.95")):g}** of the
    truth; the mean error is **{float(chosen.expected_cost()):.2f}**. The noise is {chosen.law!r}.
    """)
    return


@app.cell
def _(chosen):
    rivals = [
        {"noise": type(other.law).__name__, "times the cost": round(float(other.ratio), 3)}
        for other in chosen.alternatives()
    ]
    mo.vstack([mo.md("## What else keeps the promise"), mo.ui.table(rivals, selection=None)])
    return (rivals,)


@app.cell
def _(chosen):
    verdict = chosen.certificate().check()
    mo.md(f"""
    ## Can it be better?

    Not by noise that is added to the answer. The certificate says so, and was checked just now:
    *{verdict}*.
    """)
    return (verdict,)


@app.cell
def _():
    mo.md("## Error against ε")
    errors = {
        each: float(ln.optimal(sensitivity=1, epsilon=each).expected_cost())
        for each in ("0.1", "0.2", "0.5", "1", "2", "4", "8")
    }
    mo.ui.table(
        [{"ε": each, "mean error of a count": round(cost, 3)} for each, cost in errors.items()],
        selection=None,
    )
    return (errors,)


if __name__ == "__main__":
    app.run()
