"""The perplexities beside those with sinusoidal positions, computed again from the losses."""

import numpy as np

from app.experiments.learned_positions import LATER
from app.worker.figures import draw
from tests.model.clinics.every_clinic import ask
from tests.rounding import SINGLE, same


def test_a_ratio_is_the_perplexity_of_its_member_over_that_of_the_sinusoidal_one():
    answer = ask("learned_positions")
    names = answer.axes["member"].labels or []
    losses = answer.tensors["loss.by_seed"].data.numpy()[:, :, LATER:]
    perplexities = np.exp(losses)
    ratio = draw("learned-positions", "ratio", answer, {})
    drawn = {trace["name"]: trace["y"] for trace in ratio["data"]}
    base = perplexities[:, names.index("sinusoidal")]
    for i, name in enumerate(names):
        each = perplexities[:, i] / base
        mean = each.prod(0) ** (1 / len(each))
        wrong = f"the ratio of “{name}” ends at {drawn[name][-1]:.4f}, and it is {mean[-1]:.4f}"
        same(drawn[name], mean, SINGLE, what=wrong)
        for seed, row in enumerate(each):
            same(drawn[f"{name}, seed {seed}"], row, SINGLE)
