"""Plans and keys in files: text with places, a schema, and how it becomes questions."""
