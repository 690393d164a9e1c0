"""Grad mode and module mode (GRD4xx).

Whether operations are recorded is a switch of the thread, turned by contexts and decorators; whether
layers behave as in training is a switch of each module. The mistakes of this family take one for the
other, or turn nothing at all.
"""
