"""Fine-tuning: the pre-trained encoder of `fill-in` learns another task from few labeled sentences,
compared with the same encoder without pre-training (Devlin et al. 2019).
"""

import torch
from torch import Tensor

from model.answers.answer import Answer, Axis, Labelled, numbered
from model.answers.laws import DIFFERENCE, Law, by_name, each
from model.answers.measurements import Finding, statistical
from model.measure.initialised_stacks import by_seed, seed_axis
from model.measure.recorded_seeds import recorded_seeds

CLEAR = 0.05
"""Five sentences in a hundred; less is not called a gain."""

OF_SENTENCES = f"of the held-out sentences{DIFFERENCE}"

LAWS = by_name(
    Law(
        "tuned.over_scratch",
        "Accuracy with the most labels, fine-tuned minus trained from scratch",
        "pre-training helps with {labels:,} labels",
        (CLEAR, None),
        OF_SENTENCES,
    ),
    Law(
        "tuned.over_frozen",
        "Accuracy with the most labels, fine-tuned minus frozen",
        "training the encoder’s weights helps with {labels:,} labels",
        (CLEAR, None),
        OF_SENTENCES,
    ),
    Law(
        "tuned.over_scratch.few",
        "Accuracy with the fewest labels, fine-tuned minus trained from scratch",
        "pre-training helps with {labels} labels",
        (CLEAR, None),
        OF_SENTENCES,
    ),
    *each(
        {"frozen": "frozen", "tuned": "fine-tuned", "scratch": "trained from scratch"},
        Law(
            "{}.over_chance",
            "Accuracy with the most labels, {} minus chance",
            "better than a coin flip with {labels:,} labels",
            (CLEAR, None),
            OF_SENTENCES,
        ),
    ),
)
EXPERIMENT = "fine-tuning"
CHANCE = 0.5
LAW = r"P(\text{swapped}) = \sigma\Big(w \cdot \frac{1}{n} \sum_{i=1}^{n} x_i + b\Big)"
SOURCE = (
    "Devlin et al. 2019: a pre-trained encoder is fine-tuned (section 3.2) or used frozen, as a"
    " source of features (section 5.3)"
)


def fine_tuning(*, seed: int = 0, seeds: int = 16) -> Answer:
    """`accuracy` [member, labelled], the fraction of held-out sentences for which the model
    correctly predicts whether two neighboring words were swapped, averaged over the seeds.

    The members are the frozen pre-trained encoder, the same encoder tuned, and an encoder trained
    from scratch; `labelled` is the number of labeled sentences. All train for the same number of
    steps. `gain` [labelled] is the accuracy of the tuned encoder minus that of the one from
    scratch. The seeds are those that were trained, from `seed` on.
    """
    result, accuracies = recorded_seeds(EXPERIMENT, seed, seeds)
    facts, labelled, members = result["facts"], result["labelled"], list(accuracies)
    each = torch.stack(list(accuracies.values()), dim=1)
    gain = accuracies["tuned"] - accuracies["scratch"]
    axes = {
        "member": Axis("step", len(members), members),
        "labelled": numbered("step", labelled, "labeled sentences", ids=labelled),
        "seed": seed_axis(len(each)),
    }
    tensors = {
        "accuracy": Labelled(
            ("member", "labelled"), each.mean(0), "share of held-out sentences judged right"
        ),
        "gain": Labelled(("labelled",), gain.mean(0), "accuracy, tuned less scratch"),
    }
    tensors |= by_seed(tensors, {"accuracy": each, "gain": gain})
    fields = {
        "law": LAW,
        "source": SOURCE,
        "init": (
            f"The models were trained in advance, once per seed, for {facts['steps']} steps of"
            f" {facts['batch']} sentences each, and tested on {facts['sentences']['held_out']:,}"
            f" sentences that “{facts['pretrained']}” never saw; the results are stored. In half of"
            f" the sentences, two neighboring words have been swapped, but never the first or last"
            f" word of the sentence. {facts['notice']}"
        ),
        "findings": findings(accuracies, labelled),
        "kept_seeds": result["seeds"],
        "chance": CHANCE,
    }
    return Answer("trained", axes, tensors, fields)


def findings(accuracies: dict[str, Tensor], labelled: list[int]) -> list[Finding]:
    """The findings from the accuracies [seed, labelled] by member, with the fewest and the most
    labels.
    """
    first, last = (
        {name: values[:, place] for name, values in accuracies.items()} for place in (0, -1)
    )
    fewest, most = labelled[0], labelled[-1]
    return [
        statistical(
            LAWS["tuned.over_scratch"].with_numbers(labels=most),
            (last["tuned"] - last["scratch"]).tolist(),
        ),
        statistical(
            LAWS["tuned.over_frozen"].with_numbers(labels=most),
            (last["tuned"] - last["frozen"]).tolist(),
        ),
        statistical(
            LAWS["tuned.over_scratch.few"].with_numbers(labels=fewest),
            (first["tuned"] - first["scratch"]).tolist(),
        ),
        *(
            statistical(
                LAWS[f"{name}.over_chance"].with_numbers(labels=most), (values - CHANCE).tolist()
            )
            for name, values in last.items()
        ),
    ]
