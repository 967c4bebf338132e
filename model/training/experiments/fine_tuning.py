"""`fine-tuning`: the encoder of `fill-in`, trained on unlabeled sentences, learns from a few
labeled ones whether two adjacent words in a sentence were swapped.

`frozen` trains a linear map on the encoder's output, `tuned` also trains the encoder (Devlin et al.
2019, sections 3.2 and 5.3), and `scratch` trains an encoder of the same sizes from random weights.
The set of words in a sentence reveals nothing about its label.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from model.inputs.text import TextTokenizer, pad_ids
from model.training.data.sentence_pairs import read_pairs
from model.training.experiments.experiment import Experiment
from model.training.recipes.fill_in import split
from model.training.recipes.translator import DATA, MAX_WORDS, NOTICE
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer
from model.zoo.initialisation import initialise
from model.zoo.models import load_model

PRETRAINED = "fill-in"
MEMBERS = ("frozen", "tuned", "scratch")
LABELLED = (32, 128, 512, 2048)
TEST = 1000
BATCH, STEPS = 32, 192
RATES = {"frozen": 1e-2, "tuned": 5e-4, "scratch": 5e-4}
"""The peak learning rates; a linear map tolerates a larger one."""

FRAME = TextTokenizer.frame
Ids = Int[Tensor, "sentence position"]
Labels = Float[Tensor, " sentence"]


@dataclass(frozen=True)
class Labelled:
    """Sentences, with 1 for those in which two adjacent words were swapped."""

    ids: Ids
    labels: Labels

    def __getitem__(self, chosen: Tensor) -> "Labelled":
        return Labelled(self.ids[chosen], self.labels[chosen])


class Classifier(nn.Module):
    """logit = w . mean of the encoder's output over the words + b. The encoder's own training had
    no objective at <s>, so it is not included.
    """

    def __init__(self, encoder: Transformer):
        super().__init__()
        self.encoder = encoder
        self.weight = nn.Parameter(torch.zeros(encoder.config.d_model))
        self.bias = nn.Parameter(torch.zeros(()))

    def features(self, ids: Ids) -> Float[Tensor, "sentence channel"]:
        real = ids != FRAME.pad
        x = self.encoder.encode(ids, real[:, None, :]) * real[..., None]
        return x.sum(1) / real.sum(1, keepdim=True)

    def forward(self, features: Float[Tensor, "sentence channel"]) -> Labels:
        return features @ self.weight + self.bias


class FineTuning:
    """The sentences: those that `fill-in` has never read for tests, others for training."""

    def __init__(self, data: Path):
        path = data / DATA
        train, test = split(english for english, _ in read_pairs(path, MAX_WORDS))
        self.model = load_model(PRETRAINED)
        draws = torch.Generator().manual_seed(2**40)
        self.train = self.usable(train)
        self.test = self.labelled(self.usable(test)[:TEST], draws)
        card = self.model.card
        content = path.read_bytes() + card["weights_sha256"].encode()
        self.digest = hashlib.sha256(content).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        return {
            "pretrained": PRETRAINED,
            "sentences": {"train": len(self.train), "held_out": len(self.test.labels)},
            "batch": BATCH,
            "steps": STEPS,
            "peak_rates": RATES,
            "notice": NOTICE,
        }

    def usable(self, sentences: list[str]) -> list[list[str]]:
        """The words of each sentence that fits the encoder and has two words to swap."""
        most, encode = self.model.config.max_length - 2, self.model.text_tokenizer.encode
        words = [sentence.split() for sentence in sentences if len(encode(sentence)) <= most]
        return [word for word in words if places(word)]

    def labelled(self, sentences: list[list[str]], draws: torch.Generator) -> Labelled:
        """Sentences, of which a random half have two different adjacent words swapped."""
        swap = torch.rand(len(sentences), generator=draws) < 0.5
        texts = [
            swapped(words, draws) if changed else words
            for words, changed in zip(sentences, swap.tolist(), strict=True)
        ]
        encode = self.model.text_tokenizer.encode
        ids = [[token.id for token in encode(" ".join(words))] for words in texts]
        return Labelled(pad_ids(map(FRAME.around, ids), FRAME.pad), swap.float())

    def measure(self, member: str, seed: int) -> list[float]:
        """The accuracy on test sentences, by the number of labeled ones."""
        draws = torch.Generator().manual_seed(1_000_003 * (seed + 1))
        chosen = torch.randperm(len(self.train), generator=draws)[: LABELLED[-1]].tolist()
        labelled = self.labelled([self.train[i] for i in chosen], draws)
        return [self.accuracy(member, labelled, n, seed) for n in LABELLED]

    def accuracy(self, member: str, labelled: Labelled, n: int, seed: int) -> float:
        draws = torch.Generator().manual_seed(seed)
        encoder = Transformer(self.model.config)
        if member == "scratch":
            initialise(encoder, draws)
        else:
            encoder.load_state_dict(self.model.transformer.state_dict())
        classifier = Classifier(encoder)
        encoder.requires_grad_(member != "frozen")
        parameters = [weight for weight in classifier.parameters() if weight.requires_grad]
        optimizer = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9)
        cycle = Cycle(RATES[member], STEPS // 8, STEPS, Dropout(numbers=0.0))
        with torch.no_grad():
            fixed = classifier.features(labelled.ids[:n]) if member == "frozen" else None
        order = torch.Generator().manual_seed(seed + 1)
        for step in range(STEPS):
            chosen = torch.randint(n, (BATCH,), generator=order)
            features = classifier.features(labelled.ids[chosen]) if fixed is None else fixed[chosen]
            optimizer.param_groups[0]["lr"] = cycle.rate(step)
            optimizer.zero_grad()
            logits = classifier(features)
            binary_cross_entropy_with_logits(logits, labelled.labels[chosen]).backward()
            optimizer.step()
        with torch.no_grad():
            positive = classifier(classifier.features(self.test.ids)) > 0
        return (positive == self.test.labels.bool()).double().mean().item()


def places(words: list[str]) -> list[int]:
    """Where a word can be swapped with the next one, if the two differ. The last word is excluded,
    because its full stop would reveal the swap, and the first, because it begins the sentence.
    """
    return [i for i in range(1, len(words) - 2) if words[i].lower() != words[i + 1].lower()]


def swapped(words: list[str], draws: torch.Generator) -> list[str]:
    """`words` with two adjacent ones swapped, chosen at random from those that can be."""
    possible = places(words)
    at = possible[int(torch.randint(len(possible), (), generator=draws))]
    return [*words[:at], words[at + 1], words[at], *words[at + 2 :]]


EXPERIMENT = Experiment(
    id="fine-tuning",
    members=MEMBERS,
    seeds=6,
    axis="labelled",
    points=LABELLED,
    prepare=FineTuning,
)
