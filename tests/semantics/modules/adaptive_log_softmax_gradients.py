# Which parameters of an adaptive softmax get a gradient depends on the targets; all were said to.
import torch

layer = torch.nn.AdaptiveLogSoftmaxWithLoss(2, 4, [2])
out = layer(torch.rand(2, 2), torch.tensor([0, 1]))
reveal(out[0], out[1])
out[1].backward()
for part in layer.parameters():
    reveal(part)
    optimizer = torch.optim.SGD([part], lr=0.1, momentum=0.9)
    optimizer.step()
reveal(part)
