"""Which noise many questions get together."""
