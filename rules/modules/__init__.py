"""Modules and registration (GRD8xx).

A module finds its parts by what was assigned to it: parameters, modules and buffers that it registered
are trained, saved and moved; what lies in a list, in a plain attribute or in a local variable is not.
"""
