"""`shakespeare`: plays, continued token by token by a decoder with rotary positions."""

import hashlib
import math
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.config import Config, PositionChoices
from model.errors import InvalidInput
from model.generation.decoding import IncrementalDecoder, generate_tokens, sampling
from model.inputs.cased_text import CasedTextTokenizer, fit
from model.layers import masks
from model.trace import OFF, Trace
from model.training.loop import Recipe
from model.training.metrics.kneser_ney import KneserNey
from model.training.model_card import Card
from model.training.schedule import Cycle, Dropout
from model.transformer import Transformer

DATA = "shakespeare.txt"
HELD_OUT = 0.1  # fraction of the text, at its end
VOCABULARY = 2000
CONTEXT = 128  # tokens read at once in training
BATCH = 32
ORDER = 5  # of the n-gram baseline, which uses the four previous characters
SAMPLES, SAMPLED, TEMPERATURE = 24, 200, 0.8

FRAME = CasedTextTokenizer.frame
Windows = Int[Tensor, "window position"]


class Plays:
    """The plays. The tokenizer is fitted only on the training side of the split."""

    window, batch = CONTEXT, BATCH

    def __init__(self, data: Path):
        text = read_text(data / DATA)
        self.train, self.test = split_at_speech(text, 1 - HELD_OUT)
        self.tokenizer: CasedTextTokenizer = fit(self.train, VOCABULARY)
        self.ids = ids_of(self.tokenizer, self.train)
        self.digest = hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def config(self) -> Config:
        return Config(
            family="decoder-only",
            vocabulary_size=self.tokenizer.size,
            d_model=160,
            n_heads=4,
            d_ff=384,
            n_decoder_layers=4,
            max_length=2 * CONTEXT,
            placement="pre",
            positions=PositionChoices(absolute="none", relative="rope"),
            activation="gelu",
        )

    def epoch(self, generator: torch.Generator) -> Iterator[Windows]:
        """The windows of one pass in random order. Each pass starts at another offset, and a
        remainder shorter than a window is omitted.
        """
        shift = int(torch.randint(self.window, (), generator=generator))
        windows = self.ids[shift:].unfold(0, self.window, self.window)
        for chosen in torch.randperm(len(windows), generator=generator).split(self.batch):
            yield windows[chosen]

    def loss(self, model: Transformer, batch: Windows, trace: Trace) -> Float[Tensor, ""]:
        return nats(model, batch, trace).mean()


def read_text(path: Path) -> str:
    if not path.is_file():
        raise InvalidInput("training-text-missing", file=path.name, folder=path.parent)
    return path.read_text(encoding="utf-8")


def split_at_speech(text: str, share: float) -> tuple[str, str]:
    """`text` in two parts. The second begins with the first speech after the fraction `share` of
    the text; speeches are separated by blank lines.
    """
    cut = text.index("\n\n", int(share * len(text))) + 2
    return text[:cut], text[cut:]


def ids_of(tokenizer: CasedTextTokenizer, text: str) -> Int[Tensor, " token"]:
    return torch.tensor(tokenizer.backend.encode(text, add_special_tokens=False).ids)


def nats(
    model: Transformer, windows: Windows, trace: Trace = OFF
) -> Float[Tensor, "window position"]:
    """-ln p of every token of the windows. The model reads <s>, which stands for the text before a
    window, and all tokens except the last.
    """
    read = torch.cat([torch.full_like(windows[:, :1], FRAME.start), windows[:, :-1]], dim=1)
    mask = masks.causal(windows.shape[1])[None]
    logits = model.unembed(model.decode(read, mask, trace=trace))
    return cross_entropy(logits.flatten(0, 1), windows.flatten(), reduction="none").view_as(windows)


@torch.inference_mode()
def bits(model: Transformer, ids: Int[Tensor, " token"], context: int) -> float:
    """-log2 P(text), read in windows of `context` tokens that overlap by half. Only the second half
    of each window counts.
    """
    half, total = context // 2, 0.0
    for start in range(0, len(ids), half):
        window = ids[max(0, start - half) : start + half]
        total += float(nats(model, window[None])[0, min(start, half) :].double().sum())
    return total / math.log(2)


SPEAKER = re.compile(r"(?:^|\n\n)([^\n]+):\n")
SPEECH = re.compile(r"\n\n(.*)\n")


def speakers(text: str) -> set[str]:
    """The names of the speakers, which precede a colon at the start of a speech."""
    return set(SPEAKER.findall(text))


def form(samples: list[str], names: set[str]) -> dict[str, int | float]:
    """The form of texts that the model samples after the examples, and of the training text."""
    begun = [heading for text in samples for heading in SPEECH.findall(text)]
    lines = [
        line
        for text in samples
        for line in text.split("\n")[1:-1]
        if line and not line.endswith(":")
    ]
    return {
        "speeches": len(begun),
        "named": (
            sum(heading.removesuffix(":") in names and heading.endswith(":") for heading in begun)
            / max(1, len(begun))
        ),
        "line": sum(map(len, lines)) / max(1, len(lines)),
    }


def sampled(model: Transformer, tokenizer: CasedTextTokenizer, prompt: str, seed: int) -> str:
    """`prompt` and `SAMPLED` more tokens, sampled at `TEMPERATURE`."""
    ids = [token.id for token in tokenizer.encode(prompt, start=True)]
    steps = generate_tokens(
        IncrementalDecoder(model), ids, sampling(seed, temperature=TEMPERATURE), SAMPLED, FRAME
    )
    return prompt + tokenizer.decode([step.choice.id for step in steps])


EXAMPLES: list[dict[str, Any]] = [
    {
        "id": "speakers",
        "input": {"text": "ROMEO:\nBut soft, what light?\n\nJULIET:\nO Romeo, Romeo!\n\n"},
        "look_for": (
            "The model expects Juliet or Romeo to speak next, then the Nurse, whom nobody has"
            " named. Heads 1 and 2 of layer 1 attend to both names."
        ),
    },
    {
        "id": "romeo",
        "input": {"text": "ROMEO:\n"},
        "look_for": (
            "After a name, a colon and a line break, the model generates a speech in lines, then a"
            " blank line and another name."
        ),
    },
    {
        "id": "king",
        "input": {"text": "KING RICHARD III:\nMy lord, what news from"},
        "look_for": (
            "The model does not know where the news comes from: no token gets a probability above"
            " 0.12. It has learned the form of a line better than its meaning."
        ),
    },
]


def written_form(task: Plays, model: Transformer) -> dict:
    """The form of the model's continuations of the examples, compared with the text: for the
    card.
    """
    names = speakers(task.train)
    prompts = [example["input"]["text"] for example in EXAMPLES]
    samples = [sampled(model, task.tokenizer, prompts[i % len(prompts)], i) for i in range(SAMPLES)]
    shape, real = form(samples, names), form([task.train], names)
    return {
        "value": shape["named"],
        "line": shape["line"],
        "line_of_text": real["line"],
        "how": (
            f"Fraction of the {shape['speeches']} speeches begun in {SAMPLES} sampled texts"
            f" (temperature {TEMPERATURE}, {SAMPLED} tokens, continuing the examples) that begin"
            " with the name of a speaker from the training text, a colon and a line break. line:"
            " average in these texts. line_of_text: average in the training text"
        ),
    }


def baseline(task: Plays) -> float:
    """The baseline: bits per character of the held-out text for an interpolated character
    n-gram.
    """
    return KneserNey(task.train, ORDER).bits(task.test) / len(task.test)


def card_of_plays(
    task: Plays, steps: int, *, name: str, about: str, quality: dict, examples: list[dict]
) -> Card:
    """The card of a model of the plays, with everything that is the same for all such models.
    `about` is its task in words.
    """
    return Card(
        name=name,
        modality="text",
        task=about,
        limits={"tokens": task.config.max_length, "trained_tokens": task.window},
        quality=quality,
        training={
            "characters": len(task.train),
            "tokens": len(task.ids),
            "passes": round(steps * task.batch * task.window / len(task.ids), 1),
            "batch": task.batch,
        },
        split=(
            f"the last {HELD_OUT:.0%} of the text, from the beginning of a speech on, before the"
            " encoding was fitted: most of The Taming of the Shrew and the beginning of The"
            " Tempest, whose speakers the model has met little or never"
        ),
        data_notice="Trained on plays by William Shakespeare, public domain.",
        examples=examples,
    )


def describe(task: Plays, model: Transformer, steps: int) -> Card:
    """The card of the model, with measures on the held-out text."""
    ids, characters = ids_of(task.tokenizer, task.test), len(task.test)
    quality = {
        "bits_per_character": {
            "value": bits(model, ids, CONTEXT) / characters,
            "kneser_ney_5": baseline(task),
            "extrapolated": bits(model, ids, 2 * CONTEXT) / characters,
            "how": (
                f"−log₂ P of the held-out text, divided by its {characters:,} characters; it is cut"
                f" into {len(ids):,} tokens, each with {CONTEXT // 2} to {CONTEXT} tokens before"
                " it. kneser_ney_5: an interpolated character 5-gram estimated on the same training"
                f" text. extrapolated: with {CONTEXT} to {2 * CONTEXT} tokens before, more than in"
                " training"
            ),
        },
        "form": written_form(task, model),
    }
    return card_of_plays(
        task,
        steps,
        name="Shakespeare",
        about="continues a play by Shakespeare",
        quality=quality,
        examples=EXAMPLES,
    )


CYCLE = Cycle(peak=2e-3, warmup=200, steps=2_400, dropout=Dropout(numbers=0.25, words=0.05))
RECIPE = Recipe(
    id="shakespeare",
    cycles=(CYCLE,),
    prepare=Plays,
    describe=describe,
    stored=torch.float16,
    checkpoint_every=100,
)
