"""The training loop as a protocol (GRD7xx).

Gradients are cleared, filled by backward, unscaled, clipped, used by a step, and then the learning
rate moves on. torch adds up whatever it is given in whatever order: a call that is missing or stands
in the wrong place mostly raises nothing, and the model trains on something else than was meant, or
not at all.
"""
