"""Texts that people write for the library: TOML, checked against a schema, with places."""
