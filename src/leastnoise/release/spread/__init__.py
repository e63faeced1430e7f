"""What noisy hats over public knots tell of how units spread. Public numbers only."""
