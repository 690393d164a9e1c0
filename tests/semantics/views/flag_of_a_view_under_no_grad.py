# A view made with gradients off shows the flag of what it is a view of, and asks nothing of what it meets.
import torch

rolled = torch.fft.fftshift(torch.rand(2, 2, requires_grad=True))
with torch.no_grad():
    top, bottom = rolled.unbind()
    with torch.inference_mode():
        weights = rolled.softmax(-1)
reveal(top, bottom, weights)
mixed = weights @ bottom
reveal(mixed)
