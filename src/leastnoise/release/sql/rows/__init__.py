"""What a text says of one row: names of columns, terms and conditions."""
