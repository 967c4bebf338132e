"""Trained slots: small decoders with feed-forward networks, with persistent keys and values in
their place, and with neither, as an experiment measured them (Sukhbaatar et al. 2019).
"""

import torch

from model.answers.answer import Axis, Labelled, numbered
from model.answers.measurements import Finding, statistical
from model.measure.initialised_stacks import seed_axis
from model.measure.memory_laws import LAWS
from model.zoo.results import load_result

SLOTS = "persistent-slots"


def trained_slots() -> tuple[dict[str, Axis], dict[str, Labelled], list[Finding]]:
    """Axes, `slot_loss` [member, seed, trained] in nats a token, and findings. All kept seeds are
    told, whatever the question's.
    """
    result = load_result(SLOTS)
    members = {name: torch.tensor(losses) for name, losses in result["measured"].items()}
    parameters = result["facts"]["parameters"]
    last = {name: losses[:, -1] for name, losses in members.items()}
    axes = {
        "member": Axis("step", len(members), [name.replace("_", "-") for name in members]),
        "trained": numbered("step", result["steps"], "step", ids=result["steps"]),
        "kept_seed": seed_axis(result["seeds"]),
    }
    loss = torch.stack(list(members.values()))
    tensors = {
        "slot_loss": Labelled(
            ("member", "kept_seed", "trained"), loss, "mean of -ln p over held-out tokens, in nats"
        )
    }
    few = f"{parameters['slots']:,} parameters against {parameters['feed_forward']:,}"
    findings = [
        statistical(LAWS["slots.over_attention"], (last["attention"] - last["slots"]).tolist()),
        statistical(
            LAWS["slots.less_feed_forward"].with_numbers(few=few),
            (last["slots"] - last["feed_forward"]).tolist(),
        ),
    ]
    return axes, tensors, findings
