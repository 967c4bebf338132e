"""The answer that is attributed: one prediction of a run, the input tokens that it can depend on,
and how sure the model is of it.

    answer           what the model finds most probable at one position: a token, or a class
    log-probability  ln p(answer), in nats; a token mattered if this changes without it
    input token      a position of the input that the answer's position can see, through any number
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
from model.runs.framing import read
from model.runs.run import Run


@dataclass(frozen=True)
class InputToken:
    """The token at `position` of the stack `stack`, whose positions are the axis `axis`."""

    stack: str
    axis: str
    position: int
    text: str


@dataclass(frozen=True)
class AttributedAnswer:
    """The prediction of `run` at `position` of the stack that predicts, which is number `index` of
    `count`. `input` is what was given, of which the run was made.
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
        """The id of the token or of the class that the model finds most probable."""
        return int(self.run.logits[self.position].argmax())

    @property
    def text(self) -> str:
        """The token, or the name of the class."""
        return self.run.model.answer_label(self.id)

    @cached_property
    def tokens(self) -> tuple[InputToken, ...]:
        """The tokens that the answer can depend on: all of an encoder, and of a decoder those up to
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
        """ln p(answer) in each of the rows, in nats."""
        return logits[..., self.position, :].double().log_softmax(-1)[..., self.id]


def attributed_answer(run: Run, input: Input, index: int | None = None) -> AttributedAnswer:
    """The answer number `index` of `run`: of a text the prediction at its position, of a target
    the token that follows so many others, and of an image or a row its class, which is number 0.
    Without `index` it is the last word of a target, the last prediction of a language model, and
    what stands at the first blank of a text with blanks.

    Raises InvalidInput for an answer that does not exist, and for a model whose answer cannot be
    attributed to its tokens.
    """
    check_attributable(run)
    start, count = run.target_start, answers(run)
    index = usual_answer(run, count) if index is None else index
    check_exists("answer", index, run.model.id, count)
    return AttributedAnswer(run, with_own_target(run, input), index, count, start + index)


def with_own_target(run: Run, input: Input) -> Input:
    """The input with the target that the model has written itself, so that it need not be written
    again in every further pass. Only a target that reads as the same tokens is put in.
    """
    if "target" not in run.input or input.target is not None:
        return input
    whole = Input(**run.input)
    reply = run.tokens.get("target") or run.tokens["text"][run.target_start :]
    try:
        tokens = read(run.model, "target", run.input["target"], end=False)
    except InvalidInput:  # an empty text, or one that other tokens make longer than the model reads
        return input
    same = [token.id for token in tokens] == [token.id for token in reply]
    return whole if same else input


def answers(run: Run) -> int:
    """How many predictions a run has."""
    if run.config.says_class:
        return 1  # which is read at [CLS]
    return len(run.logits) - run.target_start


def usual_answer(run: Run, count: int) -> int:
    """The answer that is attributed unless another is asked for."""
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
"""Models whose answer does not come from the tokens of one input alone, each with the reason."""


def check_attributable(run: Run) -> None:
    """Raises InvalidInput for a model whose answer cannot be attributed to its tokens."""
    for has, reason in NOT_ATTRIBUTABLE:
        if has(run.config):
            raise InvalidInput("not-attributable", field="model", given=run.model.id, reason=reason)
