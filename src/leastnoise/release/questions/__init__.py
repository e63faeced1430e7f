"""What users ask of a table: one kind of question per file."""
