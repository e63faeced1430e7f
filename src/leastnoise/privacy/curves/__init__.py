"""What one promise says at every ε, δ or false-alarm rate."""
