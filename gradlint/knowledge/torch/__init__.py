"""torch's modes, factories, distributions and names."""
