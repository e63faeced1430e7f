"""What can be asked of a table: one family of questions per file, a method for each kind."""
