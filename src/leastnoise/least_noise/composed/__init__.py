"""The least noise for many queries under one promise."""
