"""Training: one text, read by a two-layer and a one-layer model at every stored step of their
training. It shows when the models begin to predict the repetition, and which heads do it.
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import cross_entropy

from model.answers.answer import Answer, Axis, Labelled, named, numbered
from model.inputs.input import Input
from model.interpretability.heads.roles import TEXT, Allowed, AttentionContext, Keys, chance, score
from model.runs.run import Run, size_axes, text_axis
from model.runs.run_model import Runs, run_model
from model.zoo.models import load_model
from model.zoo.training_checkpoints import check_step, load_checkpoints

MODELS = ("induction-2", "induction-1")
"""The two-layer model, and the one-layer model as a control."""
MEASURES = {
    "repeat_loss": "mean of -ln p over the letters of the repetition, in nats",
    "repeat_accuracy": "share of the letters of the repetition that were the most probable",
    "first_loss": "mean of -ln p over the letters before the repetition, in nats",
}
WEIGHT = "mean over the queries that have one of the weight on"
SCORES = {
    "induction": f"{WEIGHT} all keys after an earlier letter like the query",
    "previous": f"{WEIGHT} the key before the query",
}
PLACES = ("text", "text")
RunsByStep = list[list[Run]]
"""The runs of each model at each step, [model][step]."""


def training(
    runs: Runs = run_model,
    *,
    text: str | None = None,
    step: int | None = None,
    names: str | None = None,
) -> Answer:
    """`pattern` [step, layer, head, text, text] over the layers of both models; `loss` [model,
    step, expected] of each letter given those before it, in nats; `induction` and `previous` [step,
    layer, head], the head scores on this text, null if no query has a key of that role; and
    `induction.keys` and `previous.keys` [text, text], those keys (Olsson et al. 2022).

    By default, the first example of the card is read. `step` selects one of the stored steps, and
    `names` selects tensors, separated by commas. `held_out.…` are measures on texts like the
    training data, taken before release. `formed` is the end of the interval of steps in which the
    advantage of two layers over one grows fastest. Raises InvalidInput for a text that the models
    cannot read and a step that is not stored, and UnknownName for a tensor.
    """
    trainings, card = [load_checkpoints(id) for id in MODELS], load_model(MODELS[0]).card
    steps = list(trainings[0].models)
    chosen = steps if step is None else [check_step(step, steps)]
    input = Input(text=card["examples"][0]["input"]["text"] if text is None else text)
    by_step = [[runs(training.models[at], input) for at in chosen] for training in trainings]
    first = by_step[0][0]
    ids = torch.tensor([token.id for token in first.tokens["text"]])
    allowed = first.masks["decoder.attention"]
    context = AttentionContext(allowed, ids, ids)
    keys = {role: TEXT[role].keys(context) & allowed for role in SCORES}
    tensors = text_tensors(by_step, keys) | held_out_tensors(
        [training.held_out for training in trainings], [steps.index(at) for at in chosen]
    )
    fields = {
        "steps": steps,
        "formed": formed(steps, *(c.held_out["repeat_loss"].tolist() for c in trainings)),
        "guessing": math.log(
            first.config.vocabulary_size - len(first.model.text_tokenizer.frame.special)
        ),
        "by_chance": {
            role: chance(keys[role], allowed).item() if keys[role].any() else None
            for role in SCORES
        },
        "held_out": {name: card["kept"][name] for name in ("how", "by_chance")},
    }
    notes = {"notes": first.notes} if first.notes else {}
    return Answer(
        first.kind, axes(by_step, chosen), named(tensors, names), fields | notes, input=first.input
    )


def axes(runs: RunsByStep, steps: list[int]) -> dict[str, Axis]:
    """The axes of the answer: the layers of both models, and the stored steps."""
    layers = [
        f"{id}.{layer}"
        for id, row in zip(MODELS, runs, strict=True)
        for layer in range(row[0].config.n_decoder_layers)
    ]
    read = runs[0][0].tokens["text"]
    return {
        "model": Axis("step", len(MODELS), list(MODELS)),
        "step": numbered("step", steps, "step", ids=steps),
        "layer": Axis("step", len(layers), layers),
        "head": size_axes(runs[0][0].config)["head"],
        "text": text_axis(read),
        "expected": text_axis(read[1:]),
    }


def text_tensors(runs: RunsByStep, keys: dict[str, Tensor]) -> dict[str, Labelled]:
    """The tensors measured on the text: patterns, losses, and head scores with their `keys`."""
    first = runs[0][0]
    pattern = torch.cat([torch.stack([patterns(run) for run in row]) for row in runs], dim=1)
    loss = torch.stack([torch.stack([losses(run) for run in row]) for row in runs])
    by_role = {
        role: Labelled(
            ("step", "layer", "head"),
            scores(pattern, keys[role], first.masks["decoder.attention"]),
            formula,
            masked=True,
        )
        for role, formula in SCORES.items()
    }
    places = {
        f"{role}.keys": Labelled(
            PLACES, keys[role].to(torch.uint8), f"1 where a head of the role {role} looks"
        )
        for role in SCORES
    }
    return {
        "loss": Labelled(
            ("model", "step", "expected"), loss, "-ln p of the letter that came next, in nats"
        ),
        "pattern": Labelled(
            ("step", "layer", "head", *PLACES),
            pattern,
            first.tensor("decoder.0.attention.pattern").formula,
        ),
        "mask": Labelled(
            PLACES, first.masks["decoder.attention"].to(torch.uint8), "1 where a query may look"
        ),
        **by_role,
        **places,
    }


def patterns(run: Run) -> Float[Tensor, "layer head query key"]:
    return torch.stack(
        [
            run.trace[f"decoder.{layer}.attention.pattern"]
            for layer in range(run.config.n_decoder_layers)
        ]
    )


def losses(run: Run) -> Float[Tensor, " expected"]:
    expected = torch.tensor([token.id for token in run.tokens["text"][1:]])
    return cross_entropy(run.logits[:-1], expected, reduction="none")


def scores(
    pattern: Float[Tensor, "step layer head query key"], keys: Keys, allowed: Allowed
) -> Float[Tensor, "step layer head"]:
    """The score of each head, its weight on `keys`; -inf if no query has a key of that role."""
    found = score(pattern.flatten(0, 2), keys, allowed).unflatten(0, pattern.shape[:3])
    return found.nan_to_num(nan=-math.inf)


def held_out_tensors(held_out: list[dict[str, Tensor]], chosen: list[int]) -> dict[str, Labelled]:
    """The measures of both models on held-out texts, at the indices `chosen` of the stored
    steps.
    """
    by_model = {
        name: torch.stack([measures[name][chosen] for measures in held_out]) for name in MEASURES
    }
    by_layer = {
        role: torch.cat([measures[role][chosen] for measures in held_out], dim=1) for role in SCORES
    }
    return {
        **{
            f"held_out.{name}": Labelled(("model", "step"), value, MEASURES[name])
            for name, value in by_model.items()
        },
        **{
            f"held_out.{role}": Labelled(("step", "layer", "head"), value, SCORES[role])
            for role, value in by_layer.items()
        },
    }


def formed(steps: list[int], deep: list[float], shallow: list[float]) -> dict[str, int]:
    """The interval between stored steps in which the difference between the losses of `shallow` and
    `deep` layers grows fastest: the step `before` it and the `step` after it.
    """
    gain = [b - a for a, b in zip(deep, shallow, strict=True)]
    rise = [(gain[i + 1] - gain[i]) / (steps[i + 1] - steps[i]) for i in range(len(steps) - 1)]
    at = rise.index(max(rise))
    return {"before": steps[at], "step": steps[at + 1]}
