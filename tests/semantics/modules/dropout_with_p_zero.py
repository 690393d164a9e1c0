# A layer that is to drop nothing gives its argument back, in training as well.
import torch
from torch import nn

weight = torch.rand(2, 2, requires_grad=True)
image = torch.rand(1, 2, 2, 2, requires_grad=True)
reveal(nn.Dropout(0.0)(weight), nn.Dropout(p=0)(weight), nn.Dropout()(weight), nn.AlphaDropout(0.0)(weight))
reveal(nn.Dropout2d(0.0)(image), nn.FeatureAlphaDropout(0)(image), nn.Flatten(0, 0)(weight), nn.Flatten(0)(weight))
share = float(weight.sum() > 8)
layer = nn.Dropout(share)
reveal(layer(weight))
layer.p = 0.5
reveal(layer(weight))
written = weight * 1
nn.Dropout(0.0, inplace=True)(written)
written.sum().backward()
reveal(weight, written)
