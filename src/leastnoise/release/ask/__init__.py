"""What users ask with: columns, conditions, keys, bounds, and the table they ask about."""
