# A pretrained model comes in eval mode; Trainer hands the model to the methods that a subclass overrides.
import tempfile

import torch
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 16}
folder = tempfile.mkdtemp()
made = BertForSequenceClassification(BertConfig(**sizes))
reveal(made)  # Module[transformers.BertForSequenceClassification, mode=train]
made.save_pretrained(folder)
model = BertForSequenceClassification.from_pretrained(folder)
reveal(model)  # Module[transformers.BertForSequenceClassification, mode=eval]
model.train()
tokens, labels = torch.tensor([[1, 2, 3]]), torch.tensor([1])
outputs = model(input_ids=tokens, labels=labels)
outputs.loss.backward()
model.zero_grad()
model.eval()
with torch.no_grad():
    logits = model(tokens).logits
for parameter in model.bert.parameters():
    parameter.requires_grad = False
    reveal(parameter)  # Tensor[?, requires_grad=no, leaf=yes]


class Weighted(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        reveal(model)  # Module[torch.nn.Module, mode=?]
        targets = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs.logits, targets)
        return (loss, outputs) if return_outputs else loss


rows = [{"input_ids": [1, 2, 3], "labels": 1}] * 4
options = TrainingArguments(output_dir=folder, max_steps=1, report_to=[], disable_tqdm=True, use_cpu=True)
trainer = Weighted(model=model, args=options, train_dataset=rows)
reveal(trainer.model)  # Module[transformers.BertForSequenceClassification, mode=eval]
trainer.train()
