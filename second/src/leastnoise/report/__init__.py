"""One view of what is shown, as text, HTML and charts."""
