"""How a measurement is said in SQL: fragments, dialects, terms, conditions, whole queries."""
