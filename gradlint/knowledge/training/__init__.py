"""Tools of training: optimizers, schedulers, scalers, and functions that clear and clip gradients."""
