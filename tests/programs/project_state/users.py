def rate_of(module):
    return module.rate
