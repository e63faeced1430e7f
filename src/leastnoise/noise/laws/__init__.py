"""Laws of noise on the integers: one law, one file, and what all of them can be asked."""
