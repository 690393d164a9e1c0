"""A script that applies a network once costs little, unless it makes the network ready for use: then that is what the
script is there for. A network whose forward gives no graph records one all the same."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

SCRIPT = """
import sys
import torch
from PIL import Image
from torch import nn
from torchvision.transforms import ToTensor


class Upscaler(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.Tanh())
        self.tail = nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, picture):
        return self.tail(self.body(picture))


upscaler = Upscaler()
READY
picture = INPUT
sharp = upscaler(picture)
Image.fromarray(sharp.detach().numpy()).save(sys.argv[2])
"""
PICTURE = "ToTensor()(Image.open(sys.argv[1])).unsqueeze(0)"
TRAINED = """optimizer = torch.optim.SGD(upscaler.parameters(), lr=0.1)
for blurred, sharp in torch.load(sys.argv[4]):
    optimizer.zero_grad()
    nn.functional.mse_loss(upscaler(blurred), sharp).backward()
    optimizer.step()"""
ANOTHER = "other = Upscaler()\n" + TRAINED.replace("upscaler", "other")
AT_WORK = [
    TRAINED,
    "upscaler.load_state_dict(torch.load(sys.argv[3]))",
    "upscaler.eval()",
    "upscaler = upscaler.cuda().eval()",
]

TAGGER = """
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(10, 4), nn.Linear(4, 3)

    def scores(self, words):
        return self.head(self.embed(words))

    def forward(self, words):
        FORWARD


def tag(sentences):
    tagger = Tagger()
    tagger.eval()
    return [tagger(torch.tensor(words))AFTER for words in sentences]
"""
DROPPING = [
    "return self.scores(words).argmax(-1)",
    "return self.scores(words).max(dim=-1)[1]",
    "best = self.scores(words).topk(2)[1]\n        return best[..., 0]",
    "scores = self.scores(words)\n        return scores.detach().softmax(-1)",
]
QUIET = [
    "with torch.no_grad():\n            return self.scores(words).argmax(-1)",
    "return self.scores(words).detach_().argmax(-1) if False else words",
    "return self.embed.weight.data[words].argmax(-1)",
]


def found(text: str, code: str = "GRD401") -> list[Confidence]:
    return [one.confidence for one in linter.analyse(text, rules(), packs=packs()).findings if one.code == code]


def script(ready: str, given: str = PICTURE) -> str:
    return SCRIPT.replace("READY", ready).replace("INPUT", given)


@pytest.mark.parametrize("ready", AT_WORK)
def test_a_network_that_is_made_ready_is_used(ready: str) -> None:
    assert found(script(ready)) == [Confidence.LIKELY]


@pytest.mark.parametrize(
    "ready", ["", "print(upscaler)", "other = Upscaler()\n" + TRAINED.replace("upscaler", "other")]
)
def test_a_network_that_is_not_is_tried(ready: str) -> None:
    assert found(script(ready)) == [Confidence.POSSIBLE]


OFFERS = """

    def load(self, path):
        self.load_state_dict(torch.load(path))
"""


@pytest.mark.parametrize(
    ("ready", "expected"),
    [("", Confidence.POSSIBLE), ("upscaler.load(sys.argv[3])", Confidence.LIKELY)],
)
def test_a_method_that_loads_says_nothing_until_it_is_called(ready: str, expected: Confidence) -> None:
    text = script(ready).replace("\n\n\nupscaler =", f"{OFFERS}\n\nupscaler =")
    assert "def load" in text
    assert found(text) == [expected]


@pytest.mark.parametrize(("loaded", "expected"), [("another", Confidence.POSSIBLE), ("upscaler", Confidence.LIKELY)])
def test_of_two_networks_of_one_library_class_only_the_loaded_one_is_ready(loaded: str, expected: Confidence) -> None:
    text = script(f"{loaded}.load_state_dict(torch.load(sys.argv[3]))")
    made = "nn.Sequential(nn.Conv2d(3, 8, 3), nn.Tanh())"
    assert found(text.replace("upscaler = Upscaler()", f"upscaler = {made}\nanother = {made}")) == [expected]


@pytest.mark.parametrize("ending", ["", "\nwith torch.no_grad():\n    upscaler(picture)"])
def test_what_a_notebook_shows_is_looked_at(ending: str) -> None:
    """A cell ends in a call whose value is shown; another cell that calls it without gradients says nothing of this."""
    looked_at = script(TRAINED).partition("sharp =")[0] + "upscaler(picture),\n"
    assert found(looked_at + ending) == [Confidence.LIKELY]
    assert found(looked_at.replace("),\n", ")\n")) == []


MADE_READY = [
    "zoo.resnet18(pretrained=True)",
    "zoo.resnet18(weights='DEFAULT')",
    "AutoModel.from_pretrained('large')",
    "zoo.resnet18(pretrained=flag)",
]
MADE_EMPTY = ["zoo.resnet18()", "zoo.resnet18(pretrained=False)", "zoo.resnet18(weights=None)"]
LIBRARY = """
import torch
import torchvision.models as zoo
from transformers import AutoModel

model = MADE
scores = model(torch.load("x.pt"))
print(scores)
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [*((made, Confidence.LIKELY) for made in MADE_READY), *((made, Confidence.POSSIBLE) for made in MADE_EMPTY)],
)
def test_a_network_that_is_made_of_trained_weights_is_used(made: str, expected: Confidence) -> None:
    assert found(LIBRARY.replace("MADE", made)) == [expected]


def test_data_to_test_on_is_no_trial() -> None:
    assert found(
        script("test_images = torch.load(sys.argv[1])", "test_images").replace("(picture)", "(test_images)")
    ) == [Confidence.LIKELY]


@pytest.mark.parametrize("given", ["torch.rand(1, 3, 8, 8)", "torch.zeros(1, 3, 8, 8)"])
@pytest.mark.parametrize("ready", AT_WORK[:2])
def test_an_input_that_is_made_up_only_tries_it(ready: str, given: str) -> None:
    text = script(ready, given).replace("Image.fromarray(sharp.detach().numpy()).save(sys.argv[2])", "print(sharp)")
    assert found(text) == [Confidence.POSSIBLE]


@pytest.mark.parametrize("forward", DROPPING)
def test_a_forward_that_gives_no_graph_records_one(forward: str) -> None:
    assert found(TAGGER.replace("FORWARD", forward).replace("AFTER", ".tolist()")) == [Confidence.LIKELY]
    assert found(TAGGER.replace("FORWARD", forward).replace("AFTER", "")) == [Confidence.LIKELY]


@pytest.mark.parametrize("forward", QUIET)
def test_a_forward_that_records_nothing_is_silent(forward: str) -> None:
    assert not found(TAGGER.replace("FORWARD", forward).replace("AFTER", ".tolist()"))


def test_a_loss_of_what_the_forward_kept_is_trained_on() -> None:
    forward = "self.kept = self.scores(words)\n        return self.kept.argmax(-1)"
    text = TAGGER.replace("FORWARD", forward).replace("AFTER", "")
    text += """

def train(tagger, batches, optimizer):
    for words, labels in batches:
        optimizer.zero_grad()
        guess = tagger(words)
        nn.functional.cross_entropy(tagger.kept, labels).backward()
        optimizer.step()

train(Tagger(), [(torch.tensor([1]), torch.tensor([1]))], torch.optim.SGD(Tagger().parameters(), 0.1))
"""
    assert len(found(text)) == 1


SEARCH = """
import bisect, heapq
from heapq import heappop, heappush
import torch
from torch import nn


class Beam:
    def __init__(self, most):
        self.kept, self.most = [], most

    def add(self, score, words, state):
        PUT
        if len(self.kept) > self.most:
            TAKE

    def __iter__(self):
        return iter(self.kept)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.head = nn.Embedding(10, 4), nn.GRU(4, 4), nn.Linear(4, 10)

    def forward(self, words, state):
        output, state = self.cell(self.embed(words), state)
        return self.head(output[-1]), state


class Search:
    def __init__(self, length=20):
        self.decoder, self.length = Decoder(), length

    def __call__(self, start: torch.LongTensor):
        beam = Beam(3)
        beam.add(1.0, start, torch.zeros(1, 1, 4))
        for _ in range(self.length):
            following = Beam(3)
            for score, words, state in beam:
                output, state = self.decoder(words[-1:], state)
                chances, found = output.softmax(-1).topk(3)
                for number in range(3):
                    score = score * chances[number]CUT
                    words = torch.cat([words, found[number]])
                    following.add(score, words, state)
            beam = following
        score, words, state = max(beam)
        return RESULT
"""
PUT = ["heapq.heappush(self.kept, GIVEN)", "heappush(self.kept, GIVEN)", "bisect.insort(self.kept, GIVEN)"]
TAKE = ["heapq.heappop(self.kept)", "heappop(self.kept)", "self.kept.pop(0)"]


@pytest.mark.parametrize(("put", "take"), [*zip(PUT, TAKE, strict=True)])
def test_what_is_kept_in_order_gets_no_further(put: str, take: str) -> None:
    text = SEARCH.replace("PUT", put).replace("GIVEN", "(score, words, state)").replace("TAKE", take)

    def told(result: str, cut: str = ".detach()") -> list[Confidence]:
        return found(text.replace("RESULT", result).replace("CUT", cut))

    assert told("score, words") == told("words") == [Confidence.LIKELY]
    assert told("score, words", cut="") == told("state") == told("beam") == []


def test_a_heap_of_unseen_code_keeps_what_it_is_passed() -> None:
    text = SEARCH.replace("= [], most", "= elsewhere.heap(), most").replace("PUT", PUT[0]).replace("TAKE", TAKE[0])
    text = text.replace("GIVEN", "(score, words, state)").replace("RESULT", "words").replace("CUT", ".detach()")
    assert found(text) == []


WHOLE = """
import sys
import torch
from PIL import Image
from torchvision.transforms import ToTensor
from zoo import build

model = MADE
better = model(ToTensor()(Image.open(sys.argv[1])))
Image.fromarray(better.data.numpy()).save("better.png")
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.load('whole.pt')", Confidence.LIKELY),
        ("torch.load('whole.pt')['model'].cpu()", Confidence.LIKELY),
        ("torch.jit.load('whole.pt')", Confidence.LIKELY),
        ("build('whole')", Confidence.POSSIBLE),
        ("build(torch.load('options.pt'))", Confidence.POSSIBLE),
    ],
)
def test_a_network_that_is_loaded_whole_is_used(made: str, expected: Confidence) -> None:
    assert found(WHOLE.replace("MADE", made)) == [expected]
