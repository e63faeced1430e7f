"""From exact, secret totals to noisy, public numbers. Trusted."""
