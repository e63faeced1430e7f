"""Which groups may be shown at all."""
