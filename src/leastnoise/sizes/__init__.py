"""How many records, how much error, how much privacy: any one from the other two."""
