"""Reading gradients (GRD2xx).

Backward leaves its results in the `.grad` of leaves, and of other tensors only if they were told in
time to keep theirs. The mistakes of this family look for a gradient where none was ever put.
"""
