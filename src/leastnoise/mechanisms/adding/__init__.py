"""Noise added to numbers: to one, to a vector, to several at one price."""
