"""The mathematics of laws: probabilities, sums, samplers, and the loss under a shift."""
