"""Forwards beside the training ones whose results are only printed, shown, saved or logged: nothing needs their graphs,
whatever mode the network is in."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

PROGRAM = """
import json
import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter
from torchvision import transforms
from torchvision.utils import save_image
from elsewhere import Meter, accuracy, combine, psnr, refine, show_images, trainer

net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 3))
optimizer = torch.optim.Adam(net.parameters())
writer = SummaryWriter()
meter, history = Meter(), []
for step, (x, y) in enumerate(torch.load("pairs.pt")):
    optimizer.zero_grad()
    (net(x) - y).pow(2).mean().backward()
    optimizer.step()
    drawn = torch.load("more.pt")
    out = net(drawn)
    USED
"""
ONLY_READ = [
    "save_image(out, 'out.png')",
    "save_image(out.view(-1, 1, 2, 2) / 2 + 0.5, 'out.png', normalize=True)",
    "writer.add_image('out', out[0], step)",
    "off = (out - y).abs().mean()\n    writer.add_scalar('off', off, step)",
    "off = (out - y).abs().mean()\n    print('off', off)",
    "off = (out - y).abs().mean()\n    print(f'{step}: {off:.3f}')",
    "text = str(out.mean())",
    "torch.save({'out': out}, 'out.pt')",
    "show_images(out)",
    "transforms.ToPILImage()(out[0]).save('out.png')",
    "transforms.functional.to_pil_image(out[0]).save('out.png')",
    "seen = transforms.ToPILImage()(out[0])\n    print((transforms.ToTensor()(seen) - y).square().mean())",
    "print(psnr(out, y))",
    "meter.update(accuracy(out, y))",
    "json.dump([out], open('out.json', 'w'))",
]
OTHERWISE = [
    "pass",
    "print(out.shape)",
    "trainer.learn(out)",
    "refine(out, optimizer)",
    "score = psnr(out, y)\n    score.backward()",
    "print(out)\n    out.sum().backward()",
    "show_images(out)\n    torch.autograd.backward(out.sum())",
    "print(isinstance(out, tuple), len(out))",
    "history.append(out)",
    "found = combine(out, y)",
    "small = transforms.Resize(8)(out)\n    trainer.learn(small)",
    "seen = transforms.RandomErasing(1)(out[0])\n    (seen - y).mean().backward()",
]


def found(used: str) -> list[Confidence]:
    text = PROGRAM.replace("USED", used)
    return [one.confidence for one in linter.analyse(text, rules(), packs=packs()).findings if one.code == "GRD401"]


@pytest.mark.parametrize("used", ONLY_READ)
def test_a_result_that_is_only_read_needs_no_graph(used: str) -> None:
    assert found(used) == [Confidence.LIKELY]


@pytest.mark.parametrize("used", OTHERWISE)
def test_a_result_of_which_nobody_knows_that_may_need_one(used: str) -> None:
    assert not found(used)
