"""Models of transformers come in eval mode (`test_packs_run.py` runs it): a training that switches nothing keeps it."""

import pytest

from gradlint import linter, registry

RULES, PACKS = registry.rules(), registry.packs()
HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
from transformers import AutoModelForSequenceClassification, BertModel

def train(batches, held_out):
"""
TRAINED = {
    "as it comes": """
        model = AutoModelForSequenceClassification.from_pretrained("some", num_labels=2)
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        for ids, labels in batches:
            optimizer.zero_grad()
            model(ids, labels=labels).loss.backward()  # GRD412
            optimizer.step()
    """,
    "between evaluations": """
        net = AutoModelForSequenceClassification.from_pretrained("some").to("cuda")
        optimizer = torch.optim.SGD(net.parameters(), lr=2e-3)
        for _ in range(3):
            for ids, labels in batches:
                loss = F.cross_entropy(net(input_ids=ids).logits, labels)  # GRD412
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            net.eval()
            with torch.no_grad():
                print(sum(net(ids).logits.mean() for ids, _ in held_out))
    """,
    "in train mode": """
        model = AutoModelForSequenceClassification.from_pretrained("some")
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        model.train()
        for ids, labels in batches:
            optimizer.zero_grad()
            model(ids, labels=labels).loss.backward()
            optimizer.step()
    """,
    "in eval mode on purpose": """
        model = AutoModelForSequenceClassification.from_pretrained("some").eval()
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        for ids, labels in batches:
            optimizer.zero_grad()
            model(ids, labels=labels).loss.backward()
            optimizer.step()
    """,
    "a head alone": """
        words, head = BertModel.from_pretrained("some"), nn.Linear(768, 2)
        optimizer = torch.optim.Adam(head.parameters())
        for ids, labels in batches:
            with torch.no_grad():
                first = words(ids).last_hidden_state[:, 0]
            optimizer.zero_grad()
            F.cross_entropy(head(first), labels).backward()
            optimizer.step()
    """,
    "made anew": """
        from transformers import BertConfig, BertForSequenceClassification
        model = BertForSequenceClassification(BertConfig())
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        for ids, labels in batches:
            optimizer.zero_grad()
            model(ids, labels=labels).loss.backward()
            optimizer.step()
    """,
}


@pytest.mark.parametrize("body", TRAINED.values(), ids=TRAINED)
def test_training_without_a_switch(body):
    """Reported is what is trained as it came, at the call that a step follows."""
    text = HEAD + body.replace("\n    ", "\n").lstrip("\n")
    marked = [row for row, line in enumerate(text.splitlines(), 1) if "# GRD412" in line]
    found = linter.lint(text, RULES, packs=PACKS)
    assert [finding.place.row for finding in found if finding.code == "GRD412"] == marked
