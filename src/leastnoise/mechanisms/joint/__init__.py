"""Noise for several questions at once: one draw, one price."""
