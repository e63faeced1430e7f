"""What no mechanism can do: one proved bound per file, and the best of them."""
