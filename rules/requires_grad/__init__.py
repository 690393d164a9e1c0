"""Asking for gradients (GRD1xx).

A tensor gets a gradient only if somebody asked for it, and only a real or complex tensor can have one.
The mistakes of this family ask the wrong tensor, ask the wrong object, or ask in words that torch does
not know; the program either stops, or trains something else than was meant.
"""
