"""Python's own functions and objects, NumPy's, and signs of their kinds."""
