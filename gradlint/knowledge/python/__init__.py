"""Python's own functions and objects, NumPy's, and signs by which kinds are told."""
