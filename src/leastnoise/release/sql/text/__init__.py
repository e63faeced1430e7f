"""A text as a small tree of its own, with the place of every part; nothing of the parser leaves."""
