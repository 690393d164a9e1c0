"""Grad mode and module mode (GRD4xx)."""
