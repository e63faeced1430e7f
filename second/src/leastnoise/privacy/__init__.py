"""What is promised, and the arithmetic of promises."""
