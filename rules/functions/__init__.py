"""Custom functions and what runs functions (GRD9xx).

`torch.autograd.Function` hands the writing of a gradient over to the program, with rules that are checked
late or not at all. Checkpoints, functional transforms, data parallel wrappers and compilers run code of the program in
a way of their own, and gradients go where that way takes them.
"""
