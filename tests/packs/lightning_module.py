# A LightningModule: the trainer calls its steps, those of evaluation with gradients off and in eval mode.
import logging
import warnings

import lightning as L
import torch
from torch import nn


class Net(L.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.save_hyperparameters()
        self.layer = nn.Linear(width, 1)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        return self.layer(self.dropout(x))

    def training_step(self, batch, batch_idx):
        (x,) = batch
        reveal(self.layer.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
        loss = self(x).pow(2).mean()
        reveal(torch.is_grad_enabled())  # True
        reveal(loss.requires_grad)  # True
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        (x,) = batch
        reveal(self)  # Module[?, mode=eval]
        reveal(self.layer)  # Module[torch.nn.Linear, mode=eval]
        y = self(x)
        reveal(y.requires_grad)  # False
        self.log("score", y.mean())

    def on_validation_epoch_end(self):
        reveal((self.layer.weight * 2).requires_grad)  # False
        reveal(self.trainer)  # Instance[lightning.pytorch.Trainer]

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.filterwarnings("ignore")
rows = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(4, 4)), 2)
trainer = L.Trainer(
    max_epochs=1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
net = Net()
reveal(net)  # Module[?, mode=train]
trainer.fit(net, rows, rows)
