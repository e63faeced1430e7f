"""SQL text to expressions and relations."""
