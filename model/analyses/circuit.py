"""Circuits: what a head's weights show without a run: the tokens it attends to, the tokens it
promotes, and the heads it composes with; and the paths whose sum is the output of an attention-only
model.
"""

from functools import cache, lru_cache, reduce
from operator import or_

import torch

from model import progress
from model.answers.answer import Answer
from model.checks import check_one_of
from model.errors import InvalidInput
from model.interpretability.circuits.paths import is_expandable
from model.interpretability.head_pairs import composition_section
from model.interpretability.one_head import weights_section
from model.interpretability.path_expansion import Course, Texts, enough, follow, paths_section
from model.runs.run import BaselineRun
from model.training.recipes.induction import HELD_OUT, HELD_OUT_SEED, LETTERS, repeats
from model.transformer import Transformer
from model.zoo.models import Model
from model.zoo.training_checkpoints import check_step, load_checkpoints

PARTS = ("weights", "composition", "paths")
TOP = 12
TEXTS = 64
"""The number of held-out texts on which paths are measured."""
SOURCE = "Elhage et al. 2021, A Mathematical Framework for Transformer Circuits"


@torch.no_grad()
def circuit(
    run: BaselineRun,
    *,
    part: str | None = None,
    attention: str | None = None,
    layer: int | None = None,
    head: int | None = None,
    step: int | None = None,
    top: int = TOP,
    without: str = "",
    factors: bool = False,
    seed: int = 0,
) -> Answer:
    """Answers about the weights of the model of `run`. The input only selects the rows of
    `ov.input`.

    `weights` are the circuits of one head in the token basis: `ov` and `qk`, the `top` rows with
    the largest entries; `qk.positions`, the scores of positions alone; and `copying`, for all heads
    of this attention (encoder, decoder, or cross-attention). By default, the head is the one whose
    OV circuit copies most. `factors` adds the thin matrices whose products are the circuits.

    `composition` has the scores of all pairs of heads, their `quantile` among 1000 scores with a
    random rotation of the stream between the heads, and the number of pairs beyond all of these.

    `paths` is for attention-only models with one or two layers. On held-out repetitions:
    `contribution` of each path to the logit of the correct letter, the loss with each path or group
    of paths `killed`, and both over training. `without` lists paths to remove, separated by commas.
    By default the answer has every part that the model supports. Raises InvalidInput, or
    UnknownName for a path.
    """
    model = at_step(run.model, step)
    check_parts(model, part, without)
    sections_by_part = {
        "weights": lambda: weights_section(run, model, attention, layer, head, top, factors),
        "composition": lambda: composition_section(model.transformer, seed),
        "paths": lambda: paths_section(
            run,
            model,
            course_of(model.id),
            held_out(),
            greedy_paths(model.transformer),
            without,
        ),
    }
    wanted = [part] if part else [name for name in PARTS if name != "paths" or expands(model)]
    sections = [sections_by_part[name]() for name in progress.steps(wanted)]
    whole = reduce(or_, sections)
    steps = stored_steps(model)
    fields = {
        "source": SOURCE,
        "parts": list(wanted),
        "expandable": expands(model),
        "steps": steps,
        "step": step if step is not None else (steps[-1] if steps else None),
        "facts": whole.facts,
        **whole.fields,
    }
    return run.answer(whole.tensors, fields, whole.axes)


def check_parts(model: Model, part: str | None, without: str) -> None:
    """Raises InvalidInput for a model without tokens, an unknown part, or a question about paths of
    a model whose logits are not a sum of paths.
    """
    if model.config.inputs != "tokens":
        raise InvalidInput("reads-no-tokens", field="model", given=model.id)
    if part is not None:
        check_one_of("part", part, PARTS)
    if (part == "paths" or without) and not expands(model):
        raise InvalidInput("no-sum-of-paths", field="model", given=model.id)


def expands(model: Model) -> bool:
    return is_expandable(model.transformer) and bool(stored_steps(model))


def stored_steps(model: Model) -> list[int]:
    return list(model.card.get("kept", {}).get("steps", []))


def at_step(model: Model, step: int | None) -> Model:
    """The model at a stored step of its training."""
    if step is None:
        return model
    if not stored_steps(model):
        raise InvalidInput("training-not-shipped", field="step", given=step, model=model.id)
    history = load_checkpoints(model.id).models
    return history[check_step(step, list(history))]


def held_out() -> Texts:
    """The first of the texts on which the card's measures were taken."""
    texts, period = repeats(HELD_OUT, torch.Generator().manual_seed(HELD_OUT_SEED))
    read, following = texts[:TEXTS, :-1], texts[:TEXTS, 1:]
    repeated = torch.arange(following.shape[1]) >= period[:TEXTS, None]
    return Texts(read, following, repeated, 1 / LETTERS)


@cache
def course_of(id: str) -> Course:
    """The contributions of an included model's paths over its training, the same for every
    question.
    """
    return follow(load_checkpoints(id).models, held_out())


@lru_cache(maxsize=8)
def greedy_paths(transformer: Transformer) -> list[dict]:
    """The paths that an included model needs for repetition at one step of its training, the same
    for every question.
    """
    return enough(transformer, held_out())
