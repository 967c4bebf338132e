"""Circuit: what the weights of a head say without a run: which tokens it looks for, which words it
raises, which heads it reads; and the paths whose sum is the output of a model of attention alone.
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
"""How many of the held-out texts of the model's card the paths are measured on."""
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
    """Answers about the weights of the model of `run`. Its input chooses the rows of `ov.input`
    alone.

    `weights` are the circuits of one head in the basis of tokens: `ov` and `qk`, the `top` rows
    with the largest numbers; `qk.positions`, the scores of positions alone; and `copying`, of all
    heads of this attention: the one in the encoder, in the decoder, or between both. Without a
    head it is the one whose OV circuit copies most. `factors` adds the thin matrices whose products
    the circuits are.

    `composition` are the scores of all pairs of heads, their `quantile` among 1000 scores with the
    stream between both heads turned at random, and how many pairs lie beyond all of these.

    `paths` is for models of one or two layers of attention alone. On held-out repetitions:
    `contribution` of each path to the logit of the right letter, `killed` by each path or group of
    paths, and both over the training. `without` names paths that are taken away, with commas
    between them. Without `part` the answer has all that the model has. Raises InvalidInput, or
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
    """Raises InvalidInput for a model without tokens, a part that does not exist, and a question
    about paths for a model whose logits are no sum of paths.
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
    """The model as it was at a kept step of its training."""
    if step is None:
        return model
    if not stored_steps(model):
        raise InvalidInput("training-not-shipped", field="step", given=step, model=model.id)
    history = load_checkpoints(model.id).models
    return history[check_step(step, list(history))]


def held_out() -> Texts:
    """The first of the texts that the measures of the card were taken on."""
    texts, period = repeats(HELD_OUT, torch.Generator().manual_seed(HELD_OUT_SEED))
    read, following = texts[:TEXTS, :-1], texts[:TEXTS, 1:]
    repeated = torch.arange(following.shape[1]) >= period[:TEXTS, None]
    return Texts(read, following, repeated, 1 / LETTERS)


@cache
def course_of(id: str) -> Course:
    """What the paths of a shipped model carry over its training. No question changes it."""
    return follow(load_checkpoints(id).models, held_out())


@lru_cache(maxsize=8)
def greedy_paths(transformer: Transformer) -> list[dict]:
    """The paths that a shipped model needs for its repetition, at one step of its training. No
    question changes it.
    """
    return enough(transformer, held_out())
