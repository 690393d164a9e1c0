"""Leaves (GRD12x).

Backward fills the `.grad` of leaves: tensors that the program made itself and that no recorded
operation gave. The mistakes of this family mean to make a leaf, or to copy one, and get a result in
the graph instead, or the other way round.
"""
