"""The least noise for a vector of numbers."""
