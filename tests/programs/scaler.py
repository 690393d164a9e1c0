"""A GradScaler: gradients come back scaled, unscaling and stepping put them into their own unit, clearing forgets it."""

import torch
from torch import nn

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
inputs = torch.ones(4, 2)
reveal(scaler, "enabled")  # yes
reveal(scaler, "begun")  # no
reveal(optimizer, "stage")  # ready
reveal(scaler.is_enabled())  # number[bool]

loss = model(inputs).sum()
scaled = scaler.scale(loss)
reveal(scaler, "begun")  # yes
reveal(scaled)  # Tensor[float, requires_grad=yes, leaf=no]
scaled.backward()
reveal(model.weight, "grad")  # fresh
reveal(model.weight, "unit")  # scaled
scaler.unscale_(optimizer)
reveal(model.weight, "unit")  # plain
reveal(optimizer, "stage")  # unscaled
scaler.step(optimizer)
reveal(optimizer, "stage")  # stepped
reveal(model.weight, "grad")  # used
scaler.update()
reveal(optimizer, "stage")  # ready
optimizer.zero_grad()
reveal(model.weight, "grad")  # none

for _ in range(2):
    optimizer.zero_grad()
    scaler.scale(model(inputs).sum()).backward()
    reveal(model.bias, "unit")  # scaled
    reveal(model.bias, "grad")  # fresh
    scaler.step(optimizer)
    reveal(model.bias, "unit")  # plain
    scaler.update()

part, whole = scaler.scale([model(inputs).mean(), model(inputs).sum()])
reveal(part)  # Tensor[float, requires_grad=yes, leaf=no]
optimizer.zero_grad()
(whole / 2).backward()
reveal(model.weight, "unit")  # scaled
model(inputs).sum().backward()
reveal(model.weight, "unit")  # plain|scaled
model.zero_grad()
reveal(model.weight, "unit")  # plain

mixture = scaler.scale(model(inputs).sum()) + (model.weight**2).sum()
mixture.backward()
reveal(model.weight, "unit")  # plain|scaled
reveal(model.bias, "unit")  # scaled

off = torch.amp.GradScaler("cpu", enabled=False)
reveal(off.is_enabled())  # False
optimizer.zero_grad()
loss = model(inputs).sum()
reveal(off.scale(loss) is loss)  # number[bool]
off.scale(loss).backward()
reveal(model.weight, "unit")  # plain
off.unscale_(optimizer)
off.step(optimizer)
reveal(model.weight, "grad")  # used
off.update()


def two_networks(amp):
    generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
    for_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
    for_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
    both = torch.amp.GradScaler("cpu", enabled=amp)
    reveal(both, "enabled")  # no|yes
    for _ in range(2):
        for_critic.zero_grad()
        both.scale(critic(generator(inputs).detach()).sum()).backward()
        reveal(generator.weight, "grad")  # none|used
        both.step(for_critic)
        reveal(for_critic, "stage")  # ready|stepped
        for_generator.zero_grad()
        both.scale(critic(generator(inputs)).sum()).backward()
        reveal(generator.weight, "unit")  # plain|scaled
        reveal(critic.weight, "grad")  # mixed
        both.step(for_generator)
        both.update()
        reveal(for_critic, "stage")  # ready
        reveal(generator.weight, "grad")  # used


two_networks(True)
two_networks(False)
