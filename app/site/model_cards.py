"""Cards of models: each as a small drawing of its configuration, and its sentences and numbers as
they are read, in the language of who asks.
"""

import re
from typing import Any

from app.captions.text import grouped, percent
from model.labels import label
from model.layers.choice_names import NORMS_AT, ON_STREAM, ON_WAY_IN, ON_WAY_OUT
from model.zoo.cards import YOURS, own_card, unreadable

Card = dict[str, Any]

ENTER = 1.2  # cells before the first block
BETWEEN = 0.35  # cells between blocks
LEAVE = 0.8  # cells after the last sub-layer
ROW = 1.95  # cells from one stream to the next
ABOVE = 1.4  # cells from the upper edge to the first stream
LARGE = 50_000_000  # parameters, from which on a sweep over all parts takes longer than it may
WIDE = 10  # in a drawing of more cells a head is too narrow to be seen

NORMS = {ON_STREAM: (1.0, 0.0), ON_WAY_IN: (0.25, -0.21), ON_WAY_OUT: (0.75, -0.21)}
"""Where the norm of a sub-layer stands, in cells from where the sub-layer begins and from the
stream.
"""


def in_words(card: Card) -> Card:
    """A card with its sentences in the language of who asks. What is compared or read stays, such
    as the head and the names of columns, and so do measures, which the functions below say.
    """
    spoken: Card = {
        name: label(card[name]) for name in ("name", "task", "data_notice") if name in card
    }
    spoken["examples"] = [
        {**example, "look_for": label(example["look_for"])} for example in card["examples"]
    ]
    if "held_out" in card:
        spoken["held_out"] = {**card["held_out"], "row": label(card["held_out"]["row"])}
    if (record := own_card(card["id"])) and (why := unreadable(card["id"], record)):
        spoken["unreadable"] = why.text()
    return {**card, **spoken}


def is_large(card: Card) -> bool:
    """Whether the pages of a model open on fewer parts or comparisons than they could have."""
    return card.get("parameters", 0) > LARGE


def stacks(config: dict[str, Any]) -> list[list[list[str]]]:
    """The stacks of a configuration from the first to the last, each a list of blocks, each a list
    of sub-layers.
    """
    encoder, decoder = config["n_encoder_layers"], config["n_decoder_layers"]
    last = ["feed-forward"] if config["d_ff"] else []
    middle = ["cross"] if encoder and decoder else []
    both = [[["attention", *last]] * encoder, [["attention", *middle, *last]] * decoder]
    return [blocks for blocks in both if blocks]


def drawing(config: dict[str, Any]) -> str:
    """The stacks of a configuration as SVG, in cells, one a sub-layer. Colours are classes, so that
    they follow the theme.
    """
    rows = [places(blocks) for blocks in stacks(config)]
    ends = [row[-1][1] + 1 + LEAVE for row in rows]
    heads = config["n_heads"] if max(ends) <= WIDE else 1
    shapes = []
    for i, (row, end) in enumerate(zip(rows, ends, strict=True)):
        y = ABOVE + ROW * i
        shapes.append(path("stream", f"M0 {y:g}H{end:g}"))
        if config["positions"] != "none":
            shapes.append(dot("position", 0.5, y))
        for kind, x in row:
            shapes += sub_layer(kind, x, y, config, heads)
        if config["placement"] == "pre":
            shapes.append(norm(end - 0.4, y))
        if i:
            shapes.append(memory(ends[0], y - ROW, [x for kind, x in row if kind == "cross"], y))
    height = ABOVE + ROW * len(rows) - ROW + 0.5
    return (
        f'<svg viewBox="-.1 0 {max(ends) + 0.3:g} {height:g}" preserveAspectRatio="xMinYMid"'
        f' aria-hidden="true">{"".join(shapes)}</svg>'
    )


def places(blocks: list[list[str]]) -> list[tuple[str, float]]:
    """Every sub-layer of a stack with the place where it begins, in cells."""
    found, x = [], ENTER
    for block in blocks:
        for kind in block:
            found.append((kind, x))
            x += 1
        x += BETWEEN
    return found


def sub_layer(kind: str, x: float, y: float, config: dict[str, Any], heads: int) -> list[str]:
    """A square beside the stream, which reads from it and writes to it, with its heads, its norm
    and, where the scores are told positions, a dot.
    """
    left, top, bottom = x + 0.1, y - 1.22, y - 0.42
    feet = path(kind, f"M{x + 0.25:g} {y:g}V{bottom:g}M{x + 0.75:g} {y:g}V{bottom:g}")
    square = path(f"{kind} whole", f"M{left:g} {top:g}h.8v.8h-.8z")
    shapes = [feet, square]
    if kind != "feed-forward" and heads > 1:
        edges = [f"M{left + 0.8 * head / heads:g} {top:g}v.8" for head in range(1, heads)]
        shapes.append(path("heads", "".join(edges)))
    if kind == "attention" and config["relative"] != "none":
        shapes.append(dot("position ringed", x + 0.5, y - 0.82))
    for where in NORMS_AT[config["placement"]]:
        along, up = NORMS[where]
        shapes.append(norm(x + along, y + up))
    return shapes


def memory(x: float, y: float, cross: list[float], below: float) -> str:
    """What the encoder wrote goes to every cross-attention of the stream below."""
    level, ends = y + 0.3, [start + 0.5 for start in cross]
    left, right = min(x, *ends), max(x, *ends)
    down = "".join(f"M{end:g} {level:g}V{below - 1.22:g}" for end in ends)
    return path("cross", f"M{x:g} {y:g}V{level:g}M{left:g} {level:g}H{right:g}{down}")


def norm(x: float, y: float) -> str:
    return path("norm", f"M{x - 0.13:g} {y - 0.13:g}h.26v.26h-.26z")


def dot(kind: str, x: float, y: float) -> str:
    return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r=".2"/>'


def path(kind: str, d: str) -> str:
    return f'<path class="{kind}" d="{d}"/>'


NAMES = {
    "back": "steps back",
    "chrf": "chrF",
    "diagonal": "diagonal baseline",
    "extra": "extra boxes",
    "extrapolated": "with a longer context",
    "first_loss": "loss before the repetition",
    "form": "form of a play",
    "found": "objects found",
    "induction": "induction score",
    "interpolated": "accuracy with more patches",
    "iou": "IoU",
    "kneser_ney_5": "Kneser–Ney 5-gram",
    "left_alone": "correct words kept",
    "line": "characters per line, sampled",
    "line_of_text": "characters per line, original",
    "local_attention": "accuracy with local attention",
    "memory": "saved by the memory",
    "monotone": "left-to-right order",
    "others": "other held-out sentences",
    "repeat_accuracy": "accuracy on the repeated part",
    "repeat_loss": "loss on the repetition",
    "top_1": "top-1 accuracy",
    "top_5": "top-5 accuracy",
}
"""Words for names of a card that their own words do not say."""


def named(name: str) -> str:
    """The name of a measure, or of what stands beside it, in words: word by word."""
    return label(NAMES.get(name, name.replace("_", " ")))


def size(value: int) -> str:
    """147 kB, 15.3 MB, 2.20 GB."""
    if value >= 1e9:
        return f"{value / 1e9:.2f} {label('GB')}"
    return f"{value / 1e3:.0f} {label('kB')}" if value < 1e6 else f"{value / 1e6:.1f} {label('MB')}"


def measured(measure: dict[str, Any], value: float | None = None) -> str:
    """A share as a percentage, any other number with three digits. `value` is another number that
    stands beside it.
    """
    value = measure["value"] if value is None else value
    if is_share(measure) and value <= 1:
        return percent(value)
    return f"{value:.3g} {label(measure.get('unit', ''))}".strip()


def is_share(measure: dict[str, Any]) -> bool:
    """Whether a measure is a fraction, as what it says of itself begins: a share on older cards."""
    return measure.get("how", "").startswith(("Fraction", "share"))


def stated(card: Card) -> list[tuple[str, str]]:
    """What is known of a model that was added, each with its name, as `vitrine add` prints it."""
    config = card["config"]
    layers = [str(n) for n in (config["n_encoder_layers"], config["n_decoder_layers"]) if n]
    head, precision = label(f"head: {card['head']}").removeprefix("head: "), card["precision"]
    if card["head"] == "classes":
        head = label(f"{len(card['classes'])} classes: {', '.join(card['classes'][:CLASSES])}")
        head += ", …" if len(card["classes"]) > CLASSES else ""
    known = [
        ("family", card["architecture"]),
        (
            "layers × heads × width",
            f"{' + '.join(layers)} × {config['n_heads']} × {config['d_model']}",
        ),
        *read_by(card),
        ("head", head),
        (
            "precision",
            label(f"{precision}, as single precision") if precision != "f32" else precision,
        ),
        ("source", card["source"]),
        ("license", card.get("licence") or label("not stated")),
        *[
            ("left out", f"{name}: {label(why)}")
            for name, why in card.get("left_aside", {}).items()
        ],
    ]
    return [(label(name), text) for name, text in known]


def read_by(card: Card) -> list[tuple[str, str]]:
    """What a model that was added reads: texts, or pictures in patches."""
    most, config = grouped(card["limits"]["tokens"]), card["config"]
    if config["inputs"] == "tokens":
        reads = label(f"at most {most} tokens")
        return [("vocabulary", grouped(card["vocabulary"])), ("input", reads)]
    side, patch = config["image_side"], config["patch_side"]
    colours = {1: "gray", 3: "color"}[config["colours"]]
    picture = f"pictures of {side} × {side} pixels in {colours}"
    n = (side // patch) ** 2
    return [("input", label(f"{picture}, as [CLS] and {n} patches of {patch} × {patch}"))]


CLASSES = 6  # that are named


def shelf(card: Card) -> str:
    """What a menu of models lists a model under: what it reads, or that it was added."""
    return YOURS if card["kind"] == YOURS else card["modality"]


def how(measure: dict[str, Any]) -> str:
    """How a measure was taken, with shown names of what is beside it, and where in the model."""
    text = label(measure.get("how", ""))
    for name in measure:
        text = re.sub(rf"\b{name}: ", f"{named(name)}: ", text)
    text = BEGINNING.sub(lambda letter: letter[0].upper(), text)
    if "where" in measure:
        text += f". {label('Attention is measured in')} {label(measure['where'])}"
    return f"{text}."


BEGINNING = re.compile(r"(?:^|(?<=\. ))[a-zà-ÿ](?![a-z]*[A-Z])")
"""The first letter of a sentence that may be a capital; that of chrF stays."""


def measures(card: Card) -> dict[str, dict[str, Any]]:
    """The measures of a card that are one number, by name; the first one is the main measure."""
    return {
        name: measure
        for name, measure in card.get("quality", {}).items()
        if isinstance(measure.get("value"), int | float)
    }


def headline(card: Card, link: str = " ") -> str:
    """The main measure, and beside it its baseline: "accuracy 98%, baseline 96%"."""
    for name, measure in measures(card).items():
        baseline = measure.get("baseline")
        beside = "" if baseline is None else f", {named('baseline')} {measured(measure, baseline)}"
        return f"{named(name)}{link}{measured(measure)}{beside}"
    return ""
