"""Steps: what is measured, how far one unit can move it, and what that demands. Trusted."""
