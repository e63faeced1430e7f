"""From a table to a release: sources, bounded aggregates inside the user's engine, noise on top."""
