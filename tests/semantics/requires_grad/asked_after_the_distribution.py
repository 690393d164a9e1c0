# What a distribution has computed of its parameters is off the graph where they are asked for gradients afterwards.
import torch
from torch.distributions import Beta, Categorical, Normal

logits = torch.ones(2, 2)
choice = Categorical(logits=logits)
normal = Normal(logits, torch.ones(2, 2))
beta = Beta(logits, logits)
logits.requires_grad_()
reveal(choice.log_prob(choice.sample()), normal.log_prob(torch.ones(2, 2)), normal.rsample(), beta.entropy())

asked = torch.ones(2, 2, requires_grad=True)
choice = Categorical(logits=asked)
normal = Normal(asked, torch.ones(2, 2))
reveal(choice.log_prob(choice.sample()), normal.log_prob(torch.ones(2, 2)), normal.rsample())
plain = torch.ones(2, 2)
choice = Categorical(logits=plain)
reveal(choice.log_prob(choice.sample()))


class Policy:
    def __init__(self, scores):
        self.choice = Categorical(probs=scores)

    def log_prob(self, action):
        return self.choice.log_prob(action)


scores = torch.rand(1, 3)
policies = [Policy(scores) for _ in range(2)]
scores.requires_grad_()
for policy in policies:
    reveal(policy.log_prob(torch.zeros(1)))
