"""Data described once by whoever owns them: tables, whose rows, keys, ranges and public values."""
