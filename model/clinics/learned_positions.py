"""Learned positions: small translators that differ only in their absolute positions, trained side
by side (Vaswani et al. 2017, section 3.5).
"""

import torch

from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import Band, Law, by_name, each
from model.answers.measurements import statistical
from model.measure.initialised_stacks import by_seed, seed_axis
from model.measure.recorded_seeds import recorded_seeds

ONE_HEAD = 5.29 / 4.92
"""The ratio of perplexities with one head and with eight, both from table 3 of the paper."""
NEARLY: Band = (1 / ONE_HEAD, ONE_HEAD)
"""The range of ratios for which perplexities are called nearly identical."""

LAWS = by_name(
    Law(
        "learned_over_sinusoidal",
        "Perplexity: learned / sinusoidal",
        "about 1: the kind of positions matters less than the choice between one head and eight"
        " (Table 3 of the paper)",
        NEARLY,
    ),
    *each(
        {"sinusoidal": "sinusoidal", "learned": "learned"},
        Law("perplexity.{}", "Perplexity with {} positions", "no prediction"),
    ),
)
EXPERIMENT = "learned-positions"
LAW = r"\operatorname{PPL} = \exp\Big(-\frac{1}{n} \sum_{i=1}^{n} \ln p(y_i \mid y_{<i}, x)\Big)"
SOURCE = (
    "Vaswani et al. 2017, section 3.5 and Table 3, row E: nearly identical results (perplexity 4.92"
    " with both, BLEU 25.7 with learned and 25.8 with sinusoidal positions)"
)


def learned_positions(*, seed: int = 0, seeds: int = 16) -> Answer:
    """`loss` [member, trained], the loss on held-out sentences in nats per token during training,
    averaged over the seeds.

    The members are translators with sinusoidal and with learned positions; the seeds are those that
    were trained, from `seed` on. A short training of small models proves nothing about large ones.
    """
    result, losses = recorded_seeds(EXPERIMENT, seed, seeds)
    facts, steps, members = result["facts"], result["steps"], list(losses)
    each = torch.stack(list(losses.values()), dim=1)
    axes = {
        "member": Axis("step", len(members), members),
        "trained": numbered("step", steps, "step", ids=steps),
        "seed": seed_axis(len(each)),
    }
    tensors = {
        "loss": Labelled(
            ("member", "trained"), each.mean(0), "mean of -ln p over held-out tokens, in nats"
        )
    }
    tensors |= by_seed(tensors, {"loss": each})
    last = {name: values[:, -1] for name, values in losses.items()}
    findings = [
        statistical(
            LAWS["learned_over_sinusoidal"],
            (last["learned"] - last["sinusoidal"]).exp().tolist(),
            geometric=True,
        ),
        *(
            statistical(LAWS[f"perplexity.{name}"], values.exp().tolist(), geometric=True)
            for name, values in last.items()
        ),
    ]
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            "The translators were trained in advance, once per seed; the results are stored."
            f" Settings: {facts['layers']} + {facts['layers']} Pre-LN layers, d_model"
            f" {facts['d_model']}, {steps[-1]} steps of {facts['batch']} sentence pairs each, drawn"
            f" from {facts['pairs']['train']:,}; tested on {facts['pairs']['held_out']} others. For"
            f" each seed, both translators get the same pairs in the same order. {facts['notice']}"
        ),
        "findings": findings,
        "kept_seeds": result["seeds"],
    }
    return Answer("trained", axes, tensors, fields)
