# What a distribution computes of its parameters when it is made is off the graph where gradients are off then.
import random

import torch
from torch.distributions import Beta, Categorical, Normal

weight = torch.rand(2, 3, requires_grad=True)
for made in (lambda: Categorical(logits=weight), lambda: Normal(weight, 1.0), lambda: Beta(weight + 1, weight + 2)):
    for _ in range(4):
        with torch.set_grad_enabled(random.random() < 0.5):
            policy = made()
        action = policy.sample()
        chance = policy.log_prob(action.clamp(0.1, 0.9) if action.is_floating_point() else action)
        reveal(action, chance)
with torch.no_grad():
    policy = Categorical(logits=weight)
    normal = Normal(weight[0], weight[1])
chance = policy.log_prob(policy.sample())
reveal(chance)
drawn = normal.rsample()
reveal(drawn)
for _ in range(4):
    wave = torch.rand(8, dtype=torch.float64, requires_grad=True)
    spectrum = wave.stft(4, return_complex=random.random() < 0.5, center=False)
    reveal(spectrum, wave.stft(4, return_complex=False, center=False), wave.stft(4, return_complex=True, center=False))
