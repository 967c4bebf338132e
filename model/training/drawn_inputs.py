"""Newly sampled inputs, for models whose inputs can be sampled: texts that repeat after a random
period, and scenes of shapes. All other models are measured on the examples in their card.
"""

import random
from collections.abc import Callable

import torch

from model.errors import InvalidInput
from model.inputs.input import Input
from model.inputs.scenes import scene_text
from model.interpretability.heads.measures import Example
from model.interpretability.heads.survey import Inputs
from model.training.data.random_scenes import scene
from model.training.recipes.induction import repeats
from model.zoo.models import Model

NEXT = "the next tokens of the text"
OUTPUT = "the model’s own output with all its heads"
TARGET = "the tokens of an example’s target, or of the model’s own output with all its heads"
WORDS = [
    *("apple", "river", "stone", "candle", "horse", "window", "garden", "silver", "doctor"),
    *("pencil", "winter", "market", "yellow", "kitchen", "engine", "forest", "blanket", "island"),
]
REPEATING, REPEATED = 4, 8  # texts, and words in each
OFFSET = 2**42  # trainings and their final measurements never use these seeds


def texts(model: Model, count: int, seed: int) -> Inputs:
    """Texts that repeat after a random period."""
    rows, _ = repeats(count, torch.Generator().manual_seed(OFFSET + seed))
    read = [model.text_tokenizer.decode(row) for row in rows[:, 1:].tolist()]
    return Inputs([Example(Input(text=text)) for text in read], "newly drawn texts", NEXT)


def scenes(model: Model, count: int, seed: int) -> Inputs:
    """Scenes of one to four shapes."""
    draw = random.Random(f"heads {seed}")
    found = [Example(Input(image=scene_text(scene(draw)))) for _ in range(count)]
    return Inputs(found, "newly drawn scenes", OUTPUT)


SAMPLERS: dict[str, Callable[[Model, int, int], Inputs]] = {
    "induction-2": texts,
    "induction-1": texts,
    "shapes": scenes,
}


def most_inputs(model: Model) -> int | None:
    """How many inputs of `model` exist without its data; None if they can be sampled."""
    return None if model.id in SAMPLERS else len(model.card["examples"])


def inputs_of(model: Model, count: int, seed: int) -> Inputs:
    """`count` inputs of `model`, sampled with `seed` or the first examples in its card. Raises
    InvalidInput if the card has fewer.
    """
    if model.id in SAMPLERS:
        return SAMPLERS[model.id](model, count, seed)
    listed, most = model.card["examples"], most_inputs(model)
    if most is not None and count > most:
        yours = model.kind == "yours"
        raise InvalidInput(
            "too-few-examples",
            field="examples",
            limit=most,
            given=count,
            model=model.id,
            yours=yours,
        )
    right = TARGET if "source" in listed[0]["input"] else NEXT if predicts_next(model) else OUTPUT
    examples = [Example(Input(**row["input"])) for row in listed[:count]]
    if model.kind != "yours":
        return Inputs(examples, "examples from the model card", right)
    scored = [example for example in repeating(seed) if right == NEXT and has_room(model, example)]
    of = f"sample sentences and, for the roles only, {len(scored)} texts of repeated words"
    return Inputs(examples, of if scored else "sample sentences", right, scored)


def has_room(model: Model, example: Example) -> bool:
    """Whether the model can read a text of this length."""
    return len(model.text_tokenizer.encode(example.input.text or "")) <= model.config.max_length - 2


def repeating(seed: int) -> list[Example]:
    """Texts of words in random order, repeated once: they reveal a head that attends to what
    followed the same word before, which hardly any normal sentence does (Olsson et al. 2022).
    """
    draw = random.Random(f"repeating {seed}")
    orders = [draw.sample(WORDS, REPEATED) for _ in range(REPEATING)]
    return [Example(Input(text=" ".join([*words, *words]))) for words in orders]


def predicts_next(model: Model) -> bool:
    """Whether the text of an example determines the correct next token at each position."""
    return model.config.family == "decoder-only"
