"""The budget on disk: two meters, an append-only chain, stored totals."""
