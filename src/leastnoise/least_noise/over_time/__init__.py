"""Numbers that are published again and again: running totals with the least noise there is."""
