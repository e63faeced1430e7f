"""How the documentation site is built."""
