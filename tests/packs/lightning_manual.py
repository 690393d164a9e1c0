# Manual optimisation: the optimizers are those that `configure_optimizers` returns.
import logging
import warnings

import lightning.pytorch as pl
import torch
from torch import nn


class Gan(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.generator = nn.Linear(4, 4)
        self.critic = nn.Linear(4, 1)

    def training_step(self, batch, batch_idx):
        (x,) = batch
        first, second = self.optimizers()
        made = self.generator(x)
        reveal(made)  # Tensor[?, requires_grad=yes, leaf=no]
        loss = -self.critic(made).mean()
        self.manual_backward(loss)
        first.step()
        first.zero_grad()
        reveal(self.generator.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
        loss = self.critic(made.detach()).mean() - self.critic(x).mean()
        self.manual_backward(loss)
        second.step()
        second.zero_grad()

    def configure_optimizers(self):
        first = torch.optim.Adam(self.generator.parameters())
        second = torch.optim.Adam(self.critic.parameters())
        return [first, second]


logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")
rows = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 4)), 2)
trainer = pl.Trainer(
    max_epochs=1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
gan = Gan()
trainer.fit(gan, rows)
gan.freeze()
reveal(gan)  # Module[?, mode=eval]
reveal(gan.critic.weight)  # Tensor[float, requires_grad=no|yes|?, leaf=yes|?]
