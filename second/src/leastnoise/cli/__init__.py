"""The command `leastnoise`."""
