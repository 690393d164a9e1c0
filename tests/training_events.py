"""The events that gradlint tells of what follows the beginning of a training script."""

from __future__ import annotations

from typing import TypeVar

from gradlint import events
from gradlint.testing.widening import heard_events

EventT = TypeVar("EventT", bound=events.Event)

START = """
import torch
from torch import nn
model = nn.Linear(2, 1)
x = torch.ones(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
"""


def heard(kind: type[EventT], text: str) -> list[EventT]:
    """The events of one kind, in order."""
    return [event for event in heard_events(START + text) if type(event) is kind]


def only(kind: type[EventT], text: str) -> EventT:
    (event,) = heard(kind, text)
    return event
