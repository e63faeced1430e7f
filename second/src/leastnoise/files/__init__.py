"""One TOML file: where data are, what is known of them, and named queries in SQL."""
