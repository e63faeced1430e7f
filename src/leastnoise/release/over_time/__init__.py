"""Plans whose answers are published step by step: designed, begun, released, forecast."""
