"""Attribution: how much each input token mattered for one prediction, by several methods, and how
well each agrees with removing tokens.
"""

from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from model import progress
from model.answers import intervals
from model.answers.answer import Answer, Axis, Labelled
from model.checks import check_between, check_one_of
from model.inputs.input import Input
from model.interpretability.attribution.agreement import agreement, chance, correlation
from model.interpretability.attribution.answer import AttributedAnswer, attributed_answer
from model.interpretability.attribution.flow import mixings, node_of, rollout
from model.interpretability.attribution.methods import METHODS, STEPS, Attribution, attribute
from model.runs.run import BaselineRun
from model.zoo.results import load_result

MIN_STEPS, MAX_STEPS = 17, 4096
TOKENS_PASSED = 8 * STEPS
"""The maximum number of tokens in the forward passes of all integration points together, unless
`steps` is given.
"""
EXACT = 5e-3
"""The maximum error, in nats, for which integrated gradients are called complete. It is well above
the error when the points are used up: there the sign of each piece's error depends on rounding.
"""
EXPERIMENT = "attribution"


def attribution(
    run: BaselineRun,
    input: Input,
    *,
    answer: int | None = None,
    methods: str | None = None,
    steps: int | None = None,
) -> Answer:
    """`score` [method, token] for prediction number `answer` of `run`: how much each input token
    mattered by each of the comma-separated `methods`, by default all. `attributed_answer` says
    which predictions there are, and METHODS what is computed. Removal is always included. A method
    that does not apply to the model is omitted, with a note. `share` is the score divided by the
    method's maximum absolute score.

    `agreement` has each method's rank correlation with removal, over absolute scores, and the
    fraction of random token orders that reach it; `chance` has the middle 95% of random orders.
    `uniform` [token] is the rollout of uniform attention. `completeness` is the error of the
    integrated gradients, computed at no more than `steps` points, by default fewer for longer
    inputs. `direct` has the parts of the logit. `held_out` has the mean agreement on held-out
    inputs, if measured for the model.

    Raises InvalidInput for a prediction, method, or number of steps that does not exist, and for a
    model whose prediction cannot be attributed to its tokens.
    """
    names = list(METHODS) if methods is None else [name.strip() for name in methods.split(",")]
    for name in names:
        check_one_of("methods", name, METHODS)
    target = attributed_answer(run, input, answer)
    steps = usual_steps(len(target.tokens)) if steps is None else steps
    check_between("steps", steps, MIN_STEPS, MAX_STEPS)
    with progress.part(0, 0.98):
        found = attribute(target, ["removal", *names], steps)
    uniform = rollout(mixings(target, uniform=True), node_of(target))
    fields = {
        "answer": target.index,
        "answers": answers_of(target),
        "answered": answered(target),
        "tokens": [token.text for token in target.tokens],
        "methods": [{"name": name, "formula": METHODS[name].formula} for name in found.scores],
        **agreements(target, found, uniform),
        "completeness": completeness(found),
        "direct": direct(target, found),
        "held_out": held_out(run.model.id),
    }
    axes = {
        "method": Axis("method", len(found.scores), list(found.scores)),
        "token": token_axis(target),
    }
    notes = [*run.notes, *found.left_out]
    return replace(run, notes=notes).answer(by_token(found, uniform), fields, axes)


def by_token(found: Attribution, uniform: Float[Tensor, " token"]) -> dict[str, Labelled]:
    """The scores of each method, and those of uniform attention."""
    score = torch.stack(list(found.scores.values())).float()
    largest = score.abs().amax(-1, keepdim=True)
    return {
        "score": Labelled(
            ("method", "token"), score, "one number for each token, by the formula of its method"
        ),
        "share": Labelled(
            ("method", "token"),
            score / largest.masked_fill(largest == 0, 1.0),
            "score / the largest |score| of its method",
        ),
        "uniform": Labelled(
            ("token",), uniform.float(), "rollout of W = 1 / number of keys that the mask allows"
        ),
    }


def agreements(
    target: AttributedAnswer, found: Attribution, uniform: Float[Tensor, " token"]
) -> dict[str, Any]:
    """How well each method agrees with removing tokens, compared with random orders and uniform
    attention.
    """
    removal = found.scores["removal"]
    random = chance(removal)
    # Round, so that ties of uniform attention are not broken by rounding errors.
    uniform = uniform.round(decimals=5)
    return {
        "agreement": [
            {"method": name, **vars(agreement(found.scores[name], removal, random))}
            for name in found.scores
            if name != "removal"
        ],
        "chance": random and {"low": random.low, "high": random.high, "draws": random.draws},
        "uniform_agreement": {
            "removal": correlation(uniform, removal),
            "rollout": correlation(uniform, rollout(mixings(target), node_of(target))),
        },
    }


def usual_steps(tokens: int) -> int:
    """The number of points for which a long text takes no longer than a short one."""
    return max(MIN_STEPS, min(STEPS, TOKENS_PASSED // tokens))


def token_axis(target: AttributedAnswer) -> Axis:
    """The axis of the input tokens; source tokens come before target tokens."""
    run, axes = target.run, [token.axis for token in target.tokens]
    parts = {name: axes.count(name) for name in dict.fromkeys(axes)}
    whole = run.axes[axes[0]]
    return Axis(
        whole.kind,
        len(axes),
        [token.text for token in target.tokens],
        grid=whole.grid,
        parts=parts if len(parts) > 1 else None,
        value=whole.value,
    )


def answers_of(target: AttributedAnswer) -> list[str]:
    """The most probable prediction at each position that can be asked about."""
    run = target.run
    if run.config.says_class:
        return [target.text]
    label = run.model.answer_label
    return [label(id) for id in run.logits[run.target_start :].argmax(-1).tolist()]


def answered(target: AttributedAnswer) -> dict[str, Any]:
    known = target.log_probability(target.run.logits).item()
    return {
        "text": target.text,
        "id": target.id,
        "position": target.position,
        "log_probability": known,
        "probability": torch.tensor(known).exp().item(),
    }


def completeness(found: Attribution) -> dict[str, Any] | None:
    """The difference between the integrated gradients and their expected sum; None if not
    requested.
    """
    if found.integrated is None:
        return None
    whole = found.integrated
    return {
        "error": whole.error,
        "sum": whole.scores.sum().item(),
        "difference": whole.difference,
        "steps": whole.steps,
        "complete": whole.error <= EXACT,
    }


def direct(target: AttributedAnswer, found: Attribution) -> dict[str, float] | None:
    """The logit of the prediction and its summands; None if not requested."""
    if found.rest is None:
        return None
    logit = target.run.logits[target.position, target.id].item()
    tokens = found.scores["logit"].sum().item()
    return {
        "logit": logit,
        "tokens": tokens,
        "rest": found.rest,
        "error": abs(tokens + found.rest - logit),
    }


def held_out(model: str) -> dict[str, Any] | None:
    """The mean rank correlation of each method with removal over held-out inputs of `model`, with
    its interval; None if not measured.
    """
    result = load_result(EXPERIMENT)
    if model not in result["measured"]:
        return None
    by_method = zip(result["method"], zip(*result["measured"][model], strict=True), strict=True)
    return {
        "inputs": result["seeds"],
        "agreement": [{"method": name, **mean_of(values)} for name, values in by_method],
    }


def mean_of(values: tuple[float, ...]) -> dict[str, Any]:
    """The mean, its 95% interval, and whether it is above 0, the value for random orders."""
    estimate = intervals.mean_estimate(values)
    assert estimate is not None, "there are several inputs"
    low, high = estimate.interval()
    verdict = (
        "better than chance"
        if low > 0
        else "worse than chance"
        if high < 0
        else "no better than chance"
    )
    return {"mean": estimate.number, "low": low, "high": high, "verdict": verdict}
