"""Token attribution: how much each input token mattered for a prediction, by eight methods.

Each returns one number per token. Removal measures it directly: how much less probable the
prediction is without the token. The others are cheaper, or explain where a prediction comes from;
only a comparison shows whether they agree.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from model import progress
from model.interpretability.attribution.answer import AttributedAnswer
from model.interpretability.attribution.direct_logits import direct_logits
from model.interpretability.attribution.flow import (
    OfTokens,
    flow,
    mean_attention,
    mixings,
    node_of,
    rollout,
)
from model.interpretability.attribution.gradients import (
    Integrated,
    gradient_times_input,
    integrated_gradients,
)
from model.interpretability.attribution.removal import hiding, removal

STEPS = 1024
"""The default maximum number of points for integrated gradients."""


@dataclass
class Attribution:
    """The scores of the tokens by method. `integrated` has the integrated gradients with their
    error, and `rest` is the part of the logit that belongs to no token, if computed. `left_out` has
    a sentence for each method that does not apply to this prediction.
    """

    scores: dict[str, OfTokens] = field(default_factory=dict)
    integrated: Integrated | None = None
    rest: float | None = None
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Method:
    """An attribution method. `cost` is its fraction of the total time, for progress. A method that
    `adds` decomposes a logit into contributions to the stream.
    """

    formula: str
    measure: Callable[[AttributedAnswer, int, Attribution], OfTokens]
    cost: int = 1
    adds: bool = False


def rollout_of_tokens(target: AttributedAnswer, steps: int, found: Attribution) -> OfTokens:
    return rollout(mixings(target), node_of(target))


def flow_of_tokens(target: AttributedAnswer, steps: int, found: Attribution) -> OfTokens:
    return flow(mixings(target), node_of(target))


def integrated_of_tokens(target: AttributedAnswer, steps: int, found: Attribution) -> OfTokens:
    integrated = integrated_gradients(target, steps)
    if integrated.scores.isfinite().all():
        found.integrated = integrated
    return integrated.scores


def logits_of_tokens(target: AttributedAnswer, steps: int, found: Attribution) -> OfTokens:
    by_token, found.rest = direct_logits(target)
    return by_token


METHODS: Mapping[str, Method] = {
    "removal": Method(
        "ln p(answer) - ln p(answer, e_i = 0), in nats", lambda target, *_: removal(target), 4
    ),
    "hiding": Method(
        "ln p(answer) - ln p(answer, no query may look at i), in nats",
        lambda target, *_: hiding(target),
        4,
    ),
    "integrated": Method(
        "e_i . integral of dF/de_i from 0 to e, F = ln p", integrated_of_tokens, 20
    ),
    "gradient": Method(
        "e_i . dF/de_i, F = ln p(answer), in nats", lambda target, *_: gradient_times_input(target)
    ),
    "logit": Method(
        "sum over layers, heads and keys at i of pattern v W_O . W_U[answer]",
        logits_of_tokens,
        adds=True,
    ),
    "attention": Method(
        "mean over layers and heads of pattern[answer, i]",
        lambda target, *_: mean_attention(target),
    ),
    "rollout": Method(
        "product of 0.5 W + 0.5 I over the layers, row of the answer", rollout_of_tokens
    ),
    "flow": Method("maximum flow through pipes of capacity 0.5 W + 0.5 I", flow_of_tokens, 2),
}
"""The methods by name. Removal comes first, because the others are compared with it; then those
that use gradients and values, and last those that use only attention.
"""

NO_SUM = (
    "The method {} is left out: the model reads its last stream through one more layer, so that a"
    " logit is no sum of parts."
)
NOT_FINITE = (
    "The method {} is left out: on its way are numbers too large for single precision. Each norm"
    " divides by the length of the stream, which is 0 where all vectors of tokens are 0."
)

COMPARED = tuple(name for name in METHODS if name != "removal")


def attribute(
    target: AttributedAnswer, methods: Sequence[str] = tuple(METHODS), steps: int = STEPS
) -> Attribution:
    """The scores of the input tokens by each of `methods`, in the order of METHODS."""
    chosen = [name for name in METHODS if name in methods]
    no_sum = target.run.config.head.transform != "none"
    left = [name for name in chosen if no_sum and METHODS[name].adds]
    chosen = [name for name in chosen if name not in left]
    found = Attribution(left_out=[NO_SUM.format(name) for name in left])
    for name in progress.steps(chosen, costs=[METHODS[name].cost for name in chosen]):
        scores = METHODS[name].measure(target, steps, found)
        if scores.isfinite().all():
            found.scores[name] = scores
        else:
            found.left_out.append(NOT_FINITE.format(name))
    return found
