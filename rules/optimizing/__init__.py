"""What an optimizer holds (GRD712 to GRD717, GRD724).

An optimizer keeps the tensors that it was given when it was built, and no others: what they are (leaves
that require grad), that each is there once, and that the model still computes with them is for the
program to see to.
"""
