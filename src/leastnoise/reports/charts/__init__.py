"""Charts of a report as inline SVG: no scripts, no fixed width, colours by the page's variables."""
