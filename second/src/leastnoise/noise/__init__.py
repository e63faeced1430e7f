"""Laws of noise, drawn exactly."""
