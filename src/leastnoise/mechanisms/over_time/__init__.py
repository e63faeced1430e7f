"""Noise for numbers that are published step by step."""
