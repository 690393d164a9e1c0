# What stands in a case that is not taken is never run.
import torch

v2 = torch.tensor([[1, 2], [3, 4]])
v5 = [v2, v2]
v6 = v5[1].greater_equal_(v5[1])
match len(v5):
    case 2 | 3:
        v9 = torch.nn.Embedding(3, 2)
    case _:
        try:
            v6.retain_grad()
            print("went well")
        except RuntimeError as error:
            print(error)
