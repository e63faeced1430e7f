"""Tables, row expressions, the unit-local algebra, and the statement that limits contributions."""
