# ignite: engines call what they are given, with an engine and a batch.
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def update(engine, batch):
    reveal(engine)  # Instance[ignite.engine.Engine]
    model.train()
    optimizer.zero_grad()
    loss = model(batch).sum()
    reveal(loss.requires_grad)  # number[bool]
    loss.backward()
    optimizer.step()
    return loss.item()


def check(engine, batch):
    model.eval()
    with torch.no_grad():
        y = model(batch)
        reveal(y.requires_grad)  # False
        return y


trainer = Engine(update)
evaluator = Engine(check)
reveal(trainer)  # Instance[ignite.engine.Engine]


@trainer.on(Events.EPOCH_COMPLETED)
def tell(engine):
    evaluator.run([torch.rand(2, 3)])


trainer.run([torch.rand(2, 3)] * 2, max_epochs=1)
pairs = [(torch.rand(2, 3), torch.rand(2, 1))]
supervised = create_supervised_trainer(model, optimizer, nn.functional.mse_loss)
supervised.run(pairs)
reveal(create_supervised_evaluator(model))  # Instance[ignite.engine.Engine]
