"""Reading gradients (GRD2xx)."""
