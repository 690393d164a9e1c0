# A loader asks a data set for its length, whatever the mode in which the data set was made.
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, size):
        self.values = torch.randn(size, 2)

    def __len__(self):
        reveal(self.values)
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]


with torch.inference_mode():
    loader = DataLoader(Numbers(4), batch_size=2)
    batch = next(iter(loader))
reveal(batch)
