def train():
    return 1
