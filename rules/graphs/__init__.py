"""Graphs kept alive (GRD5xx).

Every operation under autograd leaves a node that refers to its operands and to what its backward will read. A
backward frees what was saved; the nodes themselves live as long as any tensor computed from them. Programs go
wrong when they come back to a graph that has been freed, and when they keep one that nobody will differentiate.
"""
