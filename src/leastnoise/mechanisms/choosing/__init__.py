"""One or several candidates chosen in private."""
