"""Laws to compare with each other, on the real line or finite."""
