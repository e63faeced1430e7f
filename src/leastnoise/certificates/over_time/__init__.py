"""How near to the least the noise of numbers over time is, and the proof."""
