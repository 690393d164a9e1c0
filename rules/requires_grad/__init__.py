"""Asking for gradients (GRD1xx)."""
