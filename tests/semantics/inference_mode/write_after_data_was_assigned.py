# A tensor that was given data made in inference mode may still be written.
import torch

plain = torch.rand(2, 2)
with torch.inference_mode():
    plain.data = plain.data.clone()
plain.add_(1)
reveal(plain)
