"""The vocabulary's rows of a block: sub-layer by sub-layer, by where the norm stands and which norm
it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from model.activations.activation import Activation, embedding_output, input_axis, stream_row
from model.activations.attention import cross_attention_rows, self_attention_rows
from model.activations.feed_forward import feed_forward_rows
from model.activations.intersample_attention import row_attention_rows
from model.config import Config

SUBLAYER_ROWS = {
    "attention": self_attention_rows,
    "cross_attention": cross_attention_rows,
    "feed_forward": feed_forward_rows,
    "row_attention": row_attention_rows,
    "row_feed_forward": feed_forward_rows,
}

NORM_WEIGHTS = {
    "layer": ("gain[channel]", "bias[channel]"),
    "rms": ("gain[channel]",),
    "scale": ("gain[]",),
}
"""What a norm has learned, as operands of one cell."""


def block_rows(config: Config, stack: str, layer: int) -> Iterator[Activation]:
    """A block's rows, sub-layer by sub-layer. `x` is always the name of the stream as it stands."""
    given = f"{stack}.{layer - 1}.residual.out" if layer else embedding_output(config, stack)
    scope, text, sublayers = f"{stack}.{layer}", input_axis(config, stack), config.sublayers(stack)
    x = f"{scope}.residual.in"
    yield stream_row(
        x,
        text,
        "x",
        "The residual stream as the block finds it.",
        "copy",
        f"{given}[position channel]",
    )
    for number, sublayer in enumerate(sublayers, start=1):
        place = Place(config, scope, text, number, sublayer, x, last=sublayer == sublayers[-1])
        yield from PLACEMENT_ROWS[config.placement](place)
        x = place.after


@dataclass(frozen=True)
class Place:
    """A sub-layer in its block: it finds the stream `x` and leaves the stream `after`."""

    config: Config
    scope: str
    text: str
    number: int
    sublayer: str
    x: str
    last: bool

    @property
    def after(self) -> str:
        return f"{self.scope}.residual.{'out' if self.last else f'after_{self.sublayer}'}"

    @property
    def norm(self) -> str:
        return f"{self.scope}.norm{self.number}"

    @property
    def written(self) -> str:
        return f"{self.scope}.{self.sublayer}.out"

    @property
    def past(self) -> tuple[str, tuple[str, ...]]:
        """What happens to x on its way past the sub-layer: the ending of the rules that know of it,
        and the weight it needs.
        """
        if self.config.placement == "admin":
            return ".omega", (f"{self.scope}.shortcut{self.number}",)
        return ("", ()) if self.config.shortcut == 1 else (".lambda", ())

    def reads(self, x: str) -> Iterator[Activation]:
        """The sub-layer's own rows, where it reads `x`."""
        return SUBLAYER_ROWS[self.sublayer](
            self.config, f"{self.scope}.{self.sublayer}", x, self.text
        )

    def row(self, formula: str, sentence: str, rule: str, *operands: str) -> Activation:
        formula, sentence = formula.format(f=self.sublayer), sentence.format(f=self.sublayer)
        return stream_row(self.after, self.text, formula, sentence, rule, *operands)

    def sum(self, formula: str, other: str) -> Activation:
        ending, weights = self.past
        operands = (
            *(f"{w}[channel]" for w in weights),
            f"{self.x}[position channel]",
            f"{other}[position channel]",
        )
        return self.row(
            formula, "The stream after {f} has written to it.", f"sum{ending}", *operands
        )


def post_rows(place: Place, *more: str) -> Iterator[Activation]:
    yield from place.reads(place.x)
    yield from norm_rows(
        place.config, place.norm, place.text, (place.x, place.written, *more), past=place.past
    )
    formula = "LN(x + {f}(x) + bottom)" if more else "LN(x + {f}(x))"
    yield place.row(
        formula,
        "The stream after {f} has written to it, normalised.",
        "copy",
        f"{place.norm}.out[position channel]",
    )


def b2t_rows(place: Place) -> Iterator[Activation]:
    return post_rows(place, *((f"{place.scope}.residual.in",) if place.last else ()))


def pre_rows(place: Place) -> Iterator[Activation]:
    yield from norm_rows(place.config, place.norm, place.text, (place.x,))
    yield from place.reads(f"{place.norm}.out")
    yield place.sum("x + {f}(LN(x))", place.written)


def branch_rows(place: Place) -> Iterator[Activation]:
    yield from place.reads(place.x)
    yield from norm_rows(place.config, place.norm, place.text, (place.written,))
    yield place.sum("x + LN({f}(x))", f"{place.norm}.out")


def none_rows(place: Place) -> Iterator[Activation]:
    yield from place.reads(place.x)
    yield place.sum("x + {f}(x)", place.written)


PLACEMENT_ROWS = {
    "post": post_rows,
    "pre": pre_rows,
    "admin": post_rows,
    "b2t": b2t_rows,
    "branch": branch_rows,
    "none": none_rows,
}

NOT_PAST = ("", ())


def norm_rows(
    config: Config,
    scope: str,
    text: str,
    summands: tuple[str, ...],
    past: tuple[str, tuple[str, ...]] = NOT_PAST,
    weights: str = "",
) -> Iterator[Activation]:
    """Mean, scale and output of a norm over the sum of `summands`, the first of which has gone
    `past` a sub-layer.
    """
    ending, omega = past
    whole = (*(f"{w}[*]" for w in omega), *(f"{s}[position *]" for s in summands))
    cell = (*(f"{w}[channel]" for w in omega), *(f"{s}[position channel]" for s in summands))
    learned = tuple(f"{weights or scope}.{weight}" for weight in NORM_WEIGHTS[config.norm])

    def of_token(name: str, formula: str, sentence: str, rule: str) -> Activation:
        return Activation(
            f"{scope}.{name}", ("position",), (text,), formula, sentence, f"{rule}{ending}", whole
        )

    statistics = NORM_STATISTICS[config.norm]
    for name, formula, sentence, rule in statistics:
        yield of_token(name, formula, sentence, rule)
    formula, rule = NORM_FORMULAS[config.norm]
    operands = (*cell, *(f"{scope}.{name}[position]" for name, *_ in statistics), *learned)
    yield stream_row(
        f"{scope}.out", text, formula, "The normalised vector.", f"{rule}{ending}", *operands
    )


MEAN = ("mean", "mean of x", "The mean over the channels of one token.", "mean")
NORM_STATISTICS = {
    "layer": (
        MEAN,
        ("scale", "sqrt(var x + epsilon)", "The spread over the channels of one token.", "scale"),
    ),
    "rms": (
        (
            "scale",
            "sqrt(mean of x^2 + epsilon)",
            "The root mean square over the channels of one token.",
            "root_mean_square",
        ),
    ),
    "scale": (("scale", "|x|", "The length of one token's vector.", "length"),),
}
NORM_FORMULAS = {
    "layer": ("(x - mean) / scale * gain + bias", "normalise"),
    "rms": ("x / scale * gain", "rescale"),
    "scale": ("gain x / scale", "rescale"),
}
