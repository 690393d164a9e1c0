"""Properties of operations: what a call does whatever its operands are."""
