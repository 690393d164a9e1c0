"""Broken and distorted graphs (GRD6xx).

A backward goes where the graph goes. What was turned into numbers, detached, rounded, computed again
or never called is not in it: the gradient that was wanted is missing, zero, not a number or somebody
else's, mostly without a word.
"""
