"""What a training run has cost after each epoch."""

from leastnoise.accounting.epoch_table import EpochCosts, rounded_outward
from leastnoise.numeric.nearest_float import nearest_float
from leastnoise.people import equation
from leastnoise.pictures.lines import Row, axis, series
from leastnoise.pictures.picture import Picture, drawn


def training_picture(found: EpochCosts) -> Picture:
    """ε against epochs, a line for each way in which neighbours differ."""
    ways = list(found.rows[0].epsilon)
    names = {way: f"a record is {way}" for way in ways}
    rows: list[Row] = [
        {"epochs": nearest_float(row.epochs), "epsilon": float(row.epsilon[way].upper),
         "series": names[way]}
        for row in found.rows
        for way in ways
    ]  # fmt: skip
    run = found.training
    last = {way: rounded_outward(found.rows[-1].epsilon[way], 3)[1] for way in ways}
    told = f"noise {nearest_float(run.noise):g}, rate {nearest_float(run.rate):.3g}"
    delta = equation("δ", found.delta)
    batches = "Poisson" if run.batches == "poisson" else run.batches
    spec = {
        "width": 520,
        "height": 300,
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 2.5, "point": True},
        "encoding": {
            "x": axis("epochs", "epochs"),
            "y": axis("epsilon", "ε, at most", scale={"zero": True}),
            **series(list(names.values())),
        },
    }
    most = max(last.values(), key=float)
    return drawn(
        spec,
        title=f"After {run.steps:,} steps ε is at most {most}",
        subtitle=f"{told}, {delta}, {batches} batches",
        words=f"{told}, {run.steps:,} steps, {delta}: "
        + "; ".join(f"if {names[way]}, ε is at most {end}" for way, end in last.items())
        + ".",
    )
