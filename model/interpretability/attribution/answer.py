"""The prediction to attribute: the input tokens that it can depend on, and its log-probability.

answer           the most probable prediction at one position: a token, or a class
log-probability  ln p(answer), in nats; a token mattered if it changes without the token
input token      an input position that the answer's position can attend to, through any number
                 of layers
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from jaxtyping import Float
from torch import Tensor

from model.checks import check_exists
from model.config import Config
from model.errors import InvalidInput
from model.inputs.input import Input
from model.runs.run import Run
from model.runs.text import read


@dataclass(frozen=True)
class InputToken:
    """The token at `position` of the stack `stack`, whose positions are on the axis `axis`."""

    stack: str
    axis: str
    position: int
    text: str


@dataclass(frozen=True)
class AttributedAnswer:
    """The prediction of `run` at `position` of the predicting stack, with the index `index` out of
    `count`. `input` is the input of the run.
    """

    run: Run
    input: Input
    index: int
    count: int
    position: int

    @property
    def stack(self) -> str:
        return self.run.config.stacks[-1]

    @cached_property
    def id(self) -> int:
        """The id of the most probable token or class."""
        return int(self.run.logits[self.position].argmax())

    @property
    def text(self) -> str:
        """The token, or the name of the class."""
        return self.run.model.answer_label(self.id)

    @cached_property
    def tokens(self) -> tuple[InputToken, ...]:
        """The tokens that the answer can depend on: all in an encoder, and in a decoder those up to
        the answer's position.
        """
        axes, stacks = list(self.run.tokens), self.run.config.stacks
        ends = {"encoder": None, "decoder": self.position + 1}
        return tuple(
            InputToken(stack, axis, position, token.text)
            for stack, axis in zip(stacks, axes, strict=True)
            for position, token in enumerate(self.run.tokens[axis][: ends[stack]])
        )

    def log_probability(
        self, logits: Float[Tensor, "*row position vocabulary"]
    ) -> Float[Tensor, "*row"]:
        """ln p(answer) in each row, in nats."""
        return logits[..., self.position, :].double().log_softmax(-1)[..., self.id]


def attributed_answer(run: Run, input: Input, index: int | None = None) -> AttributedAnswer:
    """Prediction number `index` of `run`: in a text, the one at that position; in a target, the
    token after so many others; for an image or a row, its class, number 0. By default, the last
    word of a target, the last prediction of a language model, or the first blank of a text with
    blanks.

    Raises InvalidInput for a prediction that does not exist, and for a model whose prediction
    cannot be attributed to its tokens.
    """
    check_attributable(run)
    start, count = run.target_start, answers(run)
    index = usual_answer(run, count) if index is None else index
    check_exists("answer", index, run.model.id, count)
    return AttributedAnswer(run, with_own_target(run, input), index, count, start + index)


def with_own_target(run: Run, input: Input) -> Input:
    """The input with the target that the model generated, so that later passes don't have to
    generate it again. The target is used only if it tokenizes to the same tokens.
    """
    if "target" not in run.input or input.target is not None:
        return input
    whole = Input(**run.input)
    reply = run.tokens.get("target") or run.tokens["text"][run.target_start :]
    try:
        tokens = read(run.model, "target", run.input["target"], end=False)
    except InvalidInput:  # an empty text, or one that other tokens make too long
        return input
    same = [token.id for token in tokens] == [token.id for token in reply]
    return whole if same else input


def answers(run: Run) -> int:
    """The number of predictions in a run."""
    if run.config.says_class:
        return 1  # predicted at [CLS]
    return len(run.logits) - run.target_start


def usual_answer(run: Run, count: int) -> int:
    """The index of the default prediction."""
    if run.config.family in ("encoder-decoder", "prefix"):
        words = [any(map(str.isalnum, token.text)) for token in run.next_tokens[:-1]]
        return max((i for i, is_word in enumerate(words) if is_word), default=0)
    if run.config.stacks == ("decoder",):
        return count - 1
    return next(iter(run.answer_positions), 0)


NOT_ATTRIBUTABLE: tuple[tuple[Callable[[Config], object], str], ...] = (
    (lambda config: config.n_queries, "boxes"),
    (lambda config: config.segments, "segments"),
    (lambda config: config.between_rows, "rows"),
    (lambda config: config.bypass, "bypass"),
    (lambda config: config.head.absent, "headless"),
    (lambda config: config.attention.slots, "slots"),
    (lambda config: config.attention.kernel.name != "softmax", "kernel"),
)
"""Models whose prediction does not depend on the tokens of one input alone, each with the
reason.
"""


def check_attributable(run: Run) -> None:
    """Raises InvalidInput for a model whose prediction cannot be attributed to its tokens."""
    for has, reason in NOT_ATTRIBUTABLE:
        if has(run.config):
            raise InvalidInput("not-attributable", field="model", given=run.model.id, reason=reason)
