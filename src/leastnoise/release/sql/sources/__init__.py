"""FROM, JOIN, WITH and subqueries as rows with owners, through the constructors of joins alone."""
