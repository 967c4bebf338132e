"""Logits: what the stream says comes next; at the end of the stack, and with the logit lens at every point on the way."""

import torch
from jaxtyping import Float
from torch import Tensor

from model.answer import Answer, Axis, Labelled
from model.errors import InvalidInput, UnknownName
from model.run import Run
from model.stream import Step, decompose, steps
from model.vocabulary import input_axis

Logits = Float[Tensor, "point position vocabulary"]


def logits(run: Run, *, top: int = 10, lens: bool = False, full: bool = False, position: int | None = None, token: int | None = None) -> Answer:
    """The distribution over the next token at each position: the `top` most probable, the one the input says, and what the rest add up to.

    With `lens` also at every point of the stream before, read as if the stack ended there (nostalgebraist 2020): through the final norm, which
    uses that point's own mean and scale (Pre-LN), or as it is (Post-LN, where every block's norm has just been applied; the embedding before
    them has none). The last point is the model's own output, bit for bit. `full` adds the logits and probabilities of the whole vocabulary.
    `position` with `token` (an id; without it the expected one) adds `attribution`: by part of the stream, the summands of that token's logit.
    Raises InvalidInput where top, position or token does not exist.
    """
    stack, config = run.config.stacks[-1], run.config
    text = input_axis(config, stack)
    top = within("top", top, 1, config.vocabulary_size)
    points = lens_points(run, stack) if lens else lens_points(run, stack)[-1:]
    scores = torch.stack([read(run, stack, step) for step in points])
    chances = scores.softmax(dim=-1)
    expected = expected_ids(run, text)
    tensors = {
        "top_probability": Labelled(("point", text, "rank"), chances.topk(top).values, "the largest of softmax(logits)"),
        "top_logit": Labelled(("point", text, "rank"), scores.topk(top).values, "the largest of x W_U"),
        "rest": Labelled(("point", text), 1 - chances.topk(top).values.sum(dim=-1), "1 - sum of the top probabilities"),
        "entropy": Labelled(("point", text), torch.special.entr(chances).sum(dim=-1), "-sum p ln p over the vocabulary, in nats"),
    }
