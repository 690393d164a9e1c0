"""In-place changes and aliasing (GRD3xx)."""
