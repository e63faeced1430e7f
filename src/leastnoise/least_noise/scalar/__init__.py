"""The least noise for one query."""
