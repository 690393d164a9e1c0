from constants import weight


def doubled(x):
    return x * 2
