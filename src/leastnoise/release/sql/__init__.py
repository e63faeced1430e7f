"""SQL as a way to ask: a statement becomes a plan, and its result a table of released numbers."""
