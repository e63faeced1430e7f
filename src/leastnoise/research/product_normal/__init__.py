"""The product of normal variables: its density and its divergences, rigorously."""
