"""`Run`: one input, one model, and every number that the model computed from the input. `run_model`
makes runs.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Protocol, runtime_checkable

import torch
from torch import Tensor

from model.activations.activation import Activation
from model.activations.catalogue import activations
from model.activations.site import Site
from model.answers.answer import Answer, Axis, Kind, Labelled
from model.config import Config
from model.edits.changes import EditReport, Stage
from model.edits.edit import Edits
from model.errors import InvalidInput, UnknownName
from model.inputs.scenes import NOTHING
from model.inputs.text import TextTokenizer, Token
from model.layers.embedding import ModelInput
from model.trace import Hook, Record, Trace, TraceFactory, identity, unchanged
from model.transformer import Target, Transformer
from model.zoo.models import Model

SURE, UNSURE = 0.8, 0.5
"""The minimum accuracies for which a model is called confident, and not confident."""


@runtime_checkable
class AnyToken(Protocol):
    """The token at a position of an input: a dataclass; each kind of input has its own."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def text(self) -> str:
        """The label."""

    @property
    def id(self) -> int: ...


@dataclass(frozen=True)
class Confidence:
    """The model's probability of its prediction, as a geometric mean over its tokens; and the
    accuracy `right` on held-out texts with a probability from `low` to `high`.
    """

    value: float
    low: float
    high: float
    right: float
    texts: int

    @property
    def certainty(self) -> str:
        """The confidence in a word or two, based on the accuracy."""
        if self.right < UNSURE:
            return "expect mistakes"
        return "sure" if self.right >= SURE else "unsure"


@dataclass(frozen=True)
class Run:
    """Everything known about one forward pass of an input through a model.

    `input` holds the input as typed, `inputs` the axes, and `tokens` the tokens, each by the name
    of the input. `trace` holds the activations by name. `masks` holds the mask of each stack and
    attention layer (True: allowed).

    `next_tokens` are the actual next tokens after each position of the predicting stack; after the
    last position of a target, this is </s>. Empty if a model does not predict the next token.
    `target_start` is the position of the first of these predictions: 0, or the length of the source
    in a prefix model, whose single sequence is source and target.

    `unlike` has a sentence for each measure by which the input differs from the training data, and
    `confidence` measures how reliable the prediction is; `calibration_notes` puts both in sentences
    (calibration/confidence.py).

    `constants` are tensors that the model reads but does not compute: the `patches` of an image,
    the `memory` of a layer before a segment, the `numbers` of a table row, which of them are
    `known`, and by layer the `references` that the row is compared with.

    `edits` reports the effect of each edit; it is empty in a run without edits. `edited_by` are
    these edits as requested, and `stages` are the values of each edited activation before and after
    each edit. `aligned` has, for each axis whose tokens are reordered or padded compared with the
    run without edits, the original index of each, and None for padding.

    `removed` caches the effects of removing keys, once computed (interpretability/value_path.py).
    """

    model: Model
    input: dict[str, str]
    inputs: dict[str, Axis]
    tokens: Mapping[str, Sequence[AnyToken]]
    trace: Mapping[str, Tensor]
    masks: dict[str, Tensor]
    next_tokens: list[Token] = field(default_factory=list)
    target_start: int = 0
    notes: list[str] = field(default_factory=list)
    unlike: list[str] = field(default_factory=list)
    confidence: Confidence | None = None
    calibration_notes: list[str] = field(default_factory=list)
    constants: dict[str, Tensor] = field(default_factory=dict)
    edits: list[EditReport] = field(default_factory=list)
    edited_by: Edits = ()
    stages: Mapping[str, Sequence[Stage]] = field(default_factory=dict)
    aligned: dict[str, list[int | None]] = field(default_factory=dict)
    removed: dict[Hashable, Tensor] = field(default_factory=dict, compare=False, repr=False)

    @property
    def config(self) -> Config:
        return self.model.config

    @property
    def kind(self) -> Kind:
        return self.model.kind

    @property
    def vocabulary(self) -> dict[str, Activation]:
        return activations(self.config)

    @property
    def axes(self) -> dict[str, Axis]:
        """Every axis that a tensor of this run can have, by name."""
        return self.inputs | size_axes(self.config)

    @property
    def predicted(self) -> slice:
        """The positions whose next token is predicted."""
        return slice(self.target_start, self.target_start + len(self.next_tokens))

    @property
    def expected(self) -> list[str]:
        """The labels of `next_tokens`."""
        return [token.text for token in self.next_tokens]

    @property
    def bytes(self) -> int:
        """The memory used by its numbers, without those computed on request."""
        tensors = getattr(self.trace, "entries", self.trace).values()
        stages = (stage for some in self.stages.values() for stage in some)
        numbers = [*tensors, *(value for stage in stages for value in (stage.before, stage.after))]
        storages = (value.untyped_storage() for value in numbers if isinstance(value, Tensor))
        return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())

    def activation(self, name: str) -> Activation:
        """The catalog entry of the activation `name`. Raises UnknownName."""
        if name not in self.vocabulary:
            raise UnknownName("unknown-activation", name, self.vocabulary)
        return self.vocabulary[name]

    def check_unedited(self, field: str) -> None:
        """Raises InvalidInput in an edited run for the field `field` of a question, whose answer
        would be recomputed without the edits.
        """
        if self.edits:
            raise InvalidInput("not-under-edits", field=field)

    def check_places(self) -> None:
        """Raises InvalidInput if tokens are reordered, for an analysis that draws results of a
        patch at its place in the picture.
        """
        if self.aligned:
            raise InvalidInput("patches-reordered", field="order")

    def tensor(self, name: str) -> Labelled:
        """The activation `name` with its axes and formula."""
        row = self.activation(name)
        masked = Site.parse(name).value == "masked_scores"
        return Labelled(row.axes, self.trace[name], row.formula, masked=masked)

    def remembered(self, row: Activation) -> int:
        """The number of remembered positions before the sequence, if the activation `row` belongs
        to it; otherwise 0.
        """
        if "recalled" not in self.inputs or "text" not in row.axes:
            return 0
        parts = self.inputs["recalled"].parts
        assert parts is not None, "what is recalled is a part of its axis"
        return parts["memory"]

    @property
    def remarks(self) -> dict[str, Any]:
        """What an answer reports besides its numbers: the `prediction` and its `certainty`,
        `notes`, `unlike`, `confidence`, `edits`, and `aligned`.
        """
        notes = [*self.notes, *self.calibration_notes]
        entries = {
            "prediction": self.prediction,
            "certainty": self.certainty,
            "notes": notes,
            "unlike": self.unlike,
            "confidence": self.confidence,
            "edits": self.edits,
            "aligned": self.aligned,
        }
        return {name: value for name, value in entries.items() if value}

    @property
    def prediction(self) -> str:
        """The model's prediction for the input in words: the target, the next token, the words for
        the blanks, the class, or the detected objects. "" for a text without a blank, or a model
        without a head.
        """
        if "target" in self.input:
            return self.input["target"]
        if self.config.head.absent:
            return ""
        label, best = self.model.answer_label, self.logits.argmax(-1).tolist()
        if self.config.family == "decoder-only":
            return label(best[-1])
        words = [label(best[at]) for at in self.answer_positions]
        return ", ".join(word for word in words if word != NOTHING)

    @property
    def answer_positions(self) -> list[int]:
        """The predicting positions in a model that does not predict the next token: all object
        queries, the blanks of a text, or [CLS], the first.
        """
        if "queries" in self.tokens:
            return list(range(len(self.tokens["queries"])))
        return [0] if self.config.says_class else self.blanks

    @property
    def logits(self) -> Tensor:
        """The logits. Raises InvalidInput for a model without a head."""
        if self.config.head.absent:
            raise InvalidInput("says-nothing", field="model", model=self.model.id)
        return self.trace["logits"]

    @property
    def fills_blanks(self) -> bool:
        """Whether the model predicts the words for the blanks of a text."""
        config = self.config
        if config.family != "encoder-only" or config.says_class or config.head.absent:
            return False
        return self.model.text_tokenizer.mask is not None

    @property
    def blanks(self) -> list[int]:
        """The positions of the blanks in a text."""
        mask = self.model.text_tokenizer.mask
        return [at for at, token in enumerate(self.tokens.get("text", ())) if token.id == mask]

    @property
    def signs(self) -> set[str]:
        """The labels of the special tokens around an input: <s> and </s> for text, [CLS] for
        others.
        """
        tokenizer = self.model.tokenizer
        if not isinstance(tokenizer, TextTokenizer):
            return {"[CLS]"}
        return {tokenizer.label(id) for id in tokenizer.frame.signs}

    @property
    def certainty(self) -> str:
        """How reliable the prediction is, in up to three words, based on the accuracy on held-out
        texts with similar confidence. "" if unknown.
        """
        if self.unlike:
            return "unlike its training"
        return "" if self.confidence is None else self.confidence.certainty

    def answer(
        self,
        tensors: dict[str, Labelled],
        fields: dict | None = None,
        axes: dict[str, Axis] | None = None,
    ) -> Answer:
        """An answer about this run. It has the axes of its tensors and those of the input; `axes`
        adds those of the analysis.
        """
        return Answer(
            self.kind,
            self.axes | (axes or {}),
            tensors,
            {**(fields or {}), **self.remarks},
            self.model.id,
            self.input,
            inputs=self.tokens.keys(),
        )


BaselineRun = Annotated[Run, "without edits"]
"""The run of the same input without edits; for an unedited run, the run itself."""


RunWithoutMaps = Annotated[Run, "without maps"]
"""The run of the same input without its attention maps (long_text.py)."""


def size_axes(config: Config) -> dict[str, Axis]:
    """The axes whose size is in the configuration, by name: heads, channels, vocabulary, and so
    on.
    """
    n_features = config.attention.kernel.n_features * (
        2 if config.attention.kernel.features == "trigonometric" else 1
    )
    sizes = {
        "head_channel": config.d_head,
        "channel": config.d_model,
        "hidden": config.d_ff,
        "feature": n_features,
    }
    if config.bypass:
        width = config.max_length * config.d_model + config.columns.n_numeric
        sizes |= {"inner1": 4 * width, "inner2": 2 * width}
    return {
        "head": Axis("head", config.n_heads),
        **{name: Axis("channel", size) for name, size in sizes.items()},
        "answer": Axis("answer", 1, ["the row"]),
        "vocabulary": Axis("vocabulary", config.n_logits),
        "side": Axis("channel", len(SIDES), list(SIDES)),
    }


SIDES = ("x", "y", "width", "height")
"""The four numbers of a box: its center and size, as fractions of the image's sides."""


def id_tensor(tokens: Sequence[AnyToken]) -> Tensor:
    """The ids of `tokens` [position]."""
    return torch.tensor([token.id for token in tokens])


def slot_axis(name: str, axis: Axis, slots: int) -> Axis:
    """The axis of the keys of self-attention with persistent slots: the positions of the axis
    `axis`, named `name`, followed by `slots` slots.
    """
    assert axis.labels is not None, "every position of a text has a label"
    parts = (axis.parts or {name: axis.size}) | {"slot": slots}
    return Axis(
        "slot",
        axis.size + slots,
        [*axis.labels, *(f"slot {number}" for number in range(1, slots + 1))],
        parts=parts,
    )


def text_axis(tokens: Sequence[AnyToken], parts: dict[str, int] | None = None) -> Axis:
    """The axis of the positions of `tokens`; `parts` are the sizes of its named parts."""
    return Axis(
        "position",
        len(tokens),
        [token.text for token in tokens],
        [token.id for token in tokens],
        parts=parts,
    )


Masks = Mapping[str, Tensor]
Forward = Callable[[Transformer, ModelInput | None, Target | None, Masks, Trace], object]
"""The forward pass: (transformer, source, target, masks, trace)."""


def through_stacks(
    transformer: Transformer,
    source: ModelInput | None,
    target: Target | None,
    masks: Masks,
    trace: Trace,
) -> None:
    """The forward pass of a model with only stacks and logits."""
    transformer(source, target, masks, trace)


@dataclass(frozen=True)
class Prepared:
    """An input prepared for the network, before the forward pass. Calling it makes the pass and
    returns the run. Inputs with equal shapes can be batched (together.py), and an `Editing` changes
    values in the pass (editing.py).

    `run` has everything except activations. `source`, `target`, and `masks` are the arguments of
    `forward`, and `select` is the part of an activation that is recorded. Values go `through` a
    trace, which may change them, and `finish` adds results of the pass to the run. A `separate`
    input is never batched: its pass needs more than its own source and target.
    """

    run: Run
    source: ModelInput | None
    target: Target | None
    masks: Masks
    forward: Forward = through_stacks
    select: Hook = identity
    finish: Callable[[Run], Run] = lambda run: run
    separate: bool = False
    through: TraceFactory = unchanged

    def __call__(self) -> Run:
        """The run of the pass."""
        record = Record(self.select)
        transformer = self.run.model.transformer
        self.forward(transformer, self.source, self.target, self.masks, self.through(record))
        return self.recorded(record)

    def recorded(self, record: Record) -> Run:
        """The run, once the pass has filled its record."""
        return self.finish(replace(self.run, trace=record))
