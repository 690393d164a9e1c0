# Classes of the program that derive from a library's: what the library's class methods give is of these classes.
import tempfile

import torch
from torch import nn
from transformers import BertConfig, BertModel, PreTrainedModel, get_linear_schedule_with_warmup


class Tagger(PreTrainedModel):
    config_class = BertConfig

    def __init__(self, config):
        super().__init__(config)
        self.bert = BertModel(config)
        self.head = nn.Linear(8, 2)
        self.post_init()

    def forward(self, tokens):
        return self.head(self.bert(tokens).last_hidden_state)


class Larger(BertModel):
    def __init__(self, config):
        super().__init__(config)
        self.extra = nn.Linear(2, 2)


config = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, vocab_size=16)
tagger = Tagger(config)
reveal(tagger)  # Module[?, mode=train]
folder = tempfile.mkdtemp()
tagger.save_pretrained(folder)
loaded = Tagger.from_pretrained(folder)
reveal(loaded)  # Module[?, mode=eval]
reveal(loaded.bert)  # Module[transformers.BertModel, mode=eval]
reveal(loaded.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
for parameter in Larger(config).parameters():
    reveal(parameter)  # Tensor[float|?, requires_grad=yes, leaf=yes]
optimizer = torch.optim.SGD(loaded.parameters(), lr=0.1)
scheduler = get_linear_schedule_with_warmup(optimizer, 1, 10)
loaded.train()
loss = loaded(torch.tensor([[1, 2]])).sum()
reveal(loss)  # Tensor[?, requires_grad=yes, leaf=no]
loss.backward()
optimizer.step()


def freeze(model):
    if isinstance(model, PreTrainedModel):
        reveal(model)  # Module[transformers.BertModel, mode=train]
        for parameter in model.parameters():
            parameter.requires_grad = False


freeze(loaded.bert)
reveal(loaded.bert.pooler)  # Instance[?]
