"""In-place changes and aliasing (GRD3xx).

Writing into a tensor changes everything that shares its memory: views, detached handles, the state
dict of a module. Autograd forbids some of these writes, notices others at backward, and never hears
of the rest.
"""
