"""From a table to a release: `read`, `plan`, and the stations that data pass, in their order.

`ask` → `step` → `price` → `gate` → `measure` → charge → `draw` → `result`. What searches
(`price`) is not trusted: a mistake there costs accuracy, never privacy.
"""
