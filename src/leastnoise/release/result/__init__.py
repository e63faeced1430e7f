"""What is told: forecasts before, released tables after, as values and as text."""
