"""The least noise there is for a guarantee and a cost: `optimal`, and what it chooses among."""
