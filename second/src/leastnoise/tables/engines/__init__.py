"""The engines that run one statement over a table."""
