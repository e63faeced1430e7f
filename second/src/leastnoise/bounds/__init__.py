"""How many records, how little error, how much risk."""
