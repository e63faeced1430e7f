"""Laws of noise on vectors of integers, and the balls of the norms they depend on."""
