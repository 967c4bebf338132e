"""A run: one input through one model, with everything that was computed on the way. The one door to a model for what stands above."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from model import masks
from model.answer import Answer, Axis, Kind, Labelled
from model.config import Config
from model.decoding import greedy_target
from model.errors import InvalidInput, UnknownName
from model.inputs.images import Patch, written
from model.inputs.text import END, Token
from model.patches import unfold
from model.trace import Recorder
from model.vocabulary import Activation, activations, input_axis
from model.zoo import Model


@dataclass(frozen=True)
class TextInput:
    """`source` and optional `target` for an encoder-decoder, `text` for one stack, `image` for a stack that reads patches.

    An image is the id of one of the model's examples, or its grey values row by row, numbers from 0 to 1 with commas between them.
    """

    source: str | None = None
    target: str | None = None
    text: str | None = None
    image: str | None = None


@dataclass(frozen=True)
class Run:
    """`tokens` by the input's name (source, target, text or image), `trace` by activation, `masks` by stack and attention: True allows.

    `given` are the numbers of an input whose tokens are made of numbers: the `patches` of an image.
    """

    model: Model
    input: dict[str, str]
    tokens: dict[str, list[Token] | list[Patch]]
    trace: Mapping[str, Tensor]
    masks: dict[str, Tensor]
    notes: list[str] = field(default_factory=list)
    given: dict[str, Tensor] = field(default_factory=dict)

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
        """Every axis a tensor of this run can lie on."""
        return {name: AXES[self.config.inputs](tokens) for name, tokens in self.tokens.items()} | size_axes(self.config)

    @property
    def following(self) -> list[Token]:
        """What the input says comes next at each position of the stack that predicts; after the last, </s> for a target.

        Of an image nothing comes next.
        """
        axis = input_axis(self.config, self.config.stacks[-1])
        end = [self.model.codec.token(END)] if axis == "target" else []
        return [] if self.given else self.tokens[axis][1:] + end

    @property
    def expected(self) -> list[str]:
        return [token.text for token in self.following]

    def activation(self, name: str) -> Activation:
        if name not in self.vocabulary:
            raise UnknownName("activation", name, self.vocabulary)
        return self.vocabulary[name]

    def tensor(self, name: str) -> Labelled:
        """The activation `name` with its axes and formula."""
        row = self.activation(name)
        return Labelled(row.axes, self.trace[name], row.formula, masked=name.endswith(".masked_scores"))

    def answer(self, tensors: dict[str, Labelled], fields: dict | None = None, axes: dict[str, Axis] | None = None) -> Answer:
        """An answer about this run, with just the axes its tensors lie on; `axes` adds the word's own."""
        known = self.axes | (axes or {})
        used = {name: known[name] for name in known if name in self.tokens or any(name in t.axes for t in tensors.values())}
        notes = {"notes": self.notes} if self.notes else {}
        return Answer(self.kind, used, tensors, {**(fields or {}), **notes}, self.model.id, self.input)


def text_axis(tokens: list[Token]) -> Axis:
    return Axis("position", len(tokens), [token.text for token in tokens], [token.id for token in tokens])


def image_axis(patches: list[Patch]) -> Axis:
    """[CLS] and the patches, `grid` rows and columns of them."""
    side = math.isqrt(len(patches) - 1)
    return Axis("patch", len(patches), [patch.text for patch in patches], [patch.id for patch in patches], [side, side])


AXES = {"tokens": text_axis, "patches": image_axis}


def size_axes(config: Config) -> dict[str, Axis]:
    n_features = config.n_features * (2 if config.features == "trigonometric" else 1)
    sizes = {"head_channel": config.d_head, "channel": config.d_model, "hidden": config.d_ff, "feature": n_features}
    return {
        "head": Axis("head", config.n_heads),
        **{name: Axis("channel", size) for name, size in sizes.items()},
        "vocabulary": Axis("vocabulary", config.vocabulary_size),
    }


def read(model: Model, name: str, text: str, *, end: bool = True) -> list[Token]:
    """The tokens of one input, framed as the model was trained on them; empty or too long is refused."""
    if not text.strip():
        advice = " Leave it out to get the model's own." if name == "target" else " Type at least one word."
        raise InvalidInput(f"The {name} is empty.{advice}", field=name, limit=1, given=0)
    try:
        tokens = model.codec.reading(name).encode(text, start=True, end=end)
    except InvalidInput as error:
        error.field = name
        raise
    limit = model.config.max_length
    if len(tokens) > limit:
        raise InvalidInput(
            f"The {name} has {len(tokens)} tokens; {model.id} reads at most {limit}.", field=name, limit=limit, given=len(tokens)
        )
    return tokens


def id_tensor(tokens: list[Token]) -> Tensor:
    return torch.tensor([token.id for token in tokens])


@torch.inference_mode()
def run(model: Model, input: TextInput) -> Run:
    """Runs `input` through `model`, recording everything. Raises InvalidInput where the input does not fit the model."""
    check_kind(model, input)
    return RUNS[model.config.inputs, model.config.family](model, input)


READS = {"tokens": ("text", ("source", "target", "text")), "patches": ("an image", ("image",))}


def check_kind(model: Model, input: TextInput) -> None:
    what, names = READS[model.config.inputs]
    for name, value in vars(input).items():
        if value is not None and name not in names:
            raise InvalidInput(f"{model.id} reads {what}; it takes no `{name}`.", field=name)


def run_encoder_decoder(model: Model, input: TextInput) -> Run:
    """Without a target the model's own greedy output is the target. The decoder reads <s> y1 … ym and predicts y1 … ym </s>."""
    if input.source is None or input.text is not None:
        raise InvalidInput(
            f"{model.id} turns a source into a target: it needs `source`, and `target` if you like, not `text`.", field="source"
        )
    source = read(model, "source", input.source)
    if input.target is None:
        written = greedy_target(model.transformer, [token.id for token in source], model.config.max_length - 1)
        target = [model.codec.token(1), *(model.codec.token(id) for id in written)]
    else:
        target = read(model, "target", input.target, end=False)
    allowed = {
        "encoder.attention": masks.full(len(source)),
        "decoder.attention": masks.causal(len(target)),
        "decoder.cross_attention": torch.ones(len(target), len(source), dtype=torch.bool),
    }
    trace = Recorder()
    additive = {name: masks.additive(mask) for name, mask in allowed.items()}
    memory = model.transformer.encode(id_tensor(source), additive["encoder.attention"], trace)
    x = model.transformer.decode(id_tensor(target), additive["decoder.attention"], memory, additive["decoder.cross_attention"], trace)
    model.transformer.unembed(x, trace)
    texts = {"source": input.source, "target": input.target or model.codec.decode([token.id for token in target])}
    tokens = {"source": source, "target": target}
    return Run(model, texts, tokens, trace.values, allowed, extrapolation(model, tokens))


def run_one_stack(model: Model, input: TextInput) -> Run:
    """Encoder-only sees the whole text, decoder-only what came before."""
    if input.text is None or input.source is not None or input.target is not None:
        raise InvalidInput(f"{model.id} reads one text: it needs `text`, not `source` or `target`.", field="text")
    (stack,) = model.config.stacks
    tokens = read(model, "text", input.text, end=stack == "encoder")
    allowed = masks.full(len(tokens)) if stack == "encoder" else masks.causal(len(tokens))
    trace = Recorder()
    forward = {"encoder": model.transformer.encode, "decoder": model.transformer.decode}[stack]
    model.transformer.unembed(forward(id_tensor(tokens), masks.additive(allowed), trace=trace), trace)
    return Run(
        model, {"text": input.text}, {"text": tokens}, trace.values, {f"{stack}.attention": allowed}, extrapolation(model, {"text": tokens})
    )


def run_image(model: Model, input: TextInput) -> Run:
    """Every patch and [CLS] see all the others; the model's answer is what [CLS] says."""
    if input.image is None:
        raise InvalidInput(f"{model.id} reads an image: it needs `image`.", field="image")
    rows = model.codec.read(example(model, "image", input.image))
    image, tokens = torch.tensor([rows]), model.codec.encode()
    allowed = masks.full(len(tokens))
    trace = Recorder()
    model.transformer.unembed(model.transformer.encode(image, masks.additive(allowed), trace), trace)
    given = {"patches": unfold(image, model.config.patch_side)}
    return Run(model, {"image": written(rows)}, {"image": tokens}, trace.values, {"encoder.attention": allowed}, given=given)


def example(model: Model, name: str, given: str) -> str:
    """The input `name` of the example whose id was given; anything with a comma in it is no id and stays."""
    examples = {example["id"]: example["input"][name] for example in model.card.get("examples", ()) if name in example["input"]}
    if given.strip() and "," not in given and given not in examples:
        raise UnknownName("example", given, examples)
    return examples.get(given, given)


RUNS = {
    ("tokens", "encoder-decoder"): run_encoder_decoder,
    ("tokens", "encoder-only"): run_one_stack,
    ("tokens", "decoder-only"): run_one_stack,
    ("patches", "encoder-only"): run_image,
}


def extrapolation(model: Model, tokens: dict[str, list[Token]]) -> list[str]:
    """A sentence for each input longer than any the model was trained on."""
    trained = model.card["limits"]["trained_tokens"]
    return [
        f"The {name} has {len(row)} tokens; the model was trained on at most {trained}: this is extrapolation."
        for name, row in tokens.items()
        if len(row) > trained
    ]
