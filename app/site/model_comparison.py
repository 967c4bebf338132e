"""Models side by side: their numbers and the choices of their configurations, each field and each
choice in words, and in words what every measure of quality counts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.captions.text import grouped
from app.figures import placements
from app.site import model_cards
from model.labels import label
from model.layers.choice_names import NORM_NAMES

Card = Mapping[str, Any]

FIELDS = {
    "family": "stacks",
    "vocabulary_size": "vocabulary size, or classes",
    "inputs": "input",
    "image_side": "image size (pixels)",
    "patch_side": "patch size (pixels)",
    "colours": "color channels",
    "n_queries": "object queries",
    "n_numeric": "numeric columns",
    "categories": "options of each categorical column",
    "between_rows": "attention between rows",
    "readout": "output is computed from",
    "d_model": "residual stream width, d_model",
    "n_heads": "attention heads",
    "n_kv_heads": "key and value heads",
    "d_ff": "feed-forward neurons, d_ff",
    "n_encoder_layers": "encoder layers",
    "n_decoder_layers": "decoder layers",
    "max_length": "maximum tokens",
    "placement": "norm placement",
    "norm": "norm type",
    "shortcut": "residual scale",
    "positions": "positions added to tokens",
    "relative": "positions inside attention",
    "score": "attention score",
    "weighing": "score normalization",
    "n_features": "random features",
    "features": "random feature type",
    "draws": "random features sampled",
    "slots": "persistent slots",
    "segment": "segment length",
    "memory": "tokens in memory",
    "activation": "feed-forward activation",
    "gated": "gated feed-forward",
    "biases": "biases in linear maps",
    "scaled_embedding": "embedding × √d_model",
    "normed_embedding": "embedding normalized",
    "tied_unembedding": "tied embedding and unembedding",
    "unembedding_bias": "unembedding bias",
    "norm_epsilon": "ε of the norm",
}
"""The fields of a configuration in words."""

CHOICES = {
    "placement": placements.NAMES,
    "norm": NORM_NAMES,
    "relative": {"rope": "rotary"},
    "activation": {"relu": "ReLU", "gelu": "GELU"},
    "readout": {"unembedding": "one token", "bypass": "all tokens and numbers"},
    "n_kv_heads": {0: "one per head"},
    "score": {"scaled_dot": "scaled dot product"},
    "n_encoder_layers": {0: "no encoder"},
    "n_decoder_layers": {0: "no decoder"},
    "d_ff": {0: "no feed-forward network"},
    "segment": {0: "whole text"},
}
"""Choices in words; others are told as they are."""

EMPTY = ("image_side", "patch_side", "n_queries", "n_numeric", "slots", "memory")
"""Numbers of parts that a model need not have: 0 is a dash."""

MEASURES = {
    "token_accuracy": "Fraction of tokens predicted correctly, given the true tokens before them.",
    "exact_match": "Fraction of outputs that match a reference answer exactly.",
    "chrf": "How many short character sequences outputs share with references (0: none; 1: all).",
    "alignment": (
        "Fraction of French words for which attention is largest on the English word they"
        " translate."
    ),
    "bits_per_character": "Bits per character of new text; lower is better.",
    "form": "Fraction of sampled speeches formatted as in a play.",
    "memory": "How much better the model predicts with its memory than without it.",
    "top_5": "Fraction of missing words among the model’s five most probable.",
    "top_1": "Fraction of missing words that the model finds most probable.",
    "phoneme_error_rate": "Fraction of sounds that are wrong; lower is better.",
    "word_error_rate": "Fraction of words with any wrong sound; lower is better.",
    "monotone": "How steadily attention moves through the letters from left to right.",
    "left_alone": "Fraction of correct words that stay unchanged.",
    "repeat_accuracy": "Fraction of repeated letters predicted correctly.",
    "repeat_loss": "Loss of a letter that repeats an earlier one; lower is better.",
    "first_loss": "Loss of a letter that can’t be predicted; lower is better.",
    "induction": "The strongest head’s attention to what followed the same letter before.",
    "previous": "Attention of the heads to the previous letter.",
    "accuracy": "Fraction of predictions with the right class.",
    "loss": "Loss of the right answer; lower is better.",
    "log_loss": "Loss of the right class; lower is better.",
    "calibration_error": "Gap between confidence and accuracy; lower is better.",
    "interpolated": "Accuracy when the image is cut into another number of patches.",
    "local_attention": "Accuracy when each patch sees only its neighbors.",
    "iou": "Overlap of predicted and true boxes: 1 if identical, 0 if separate.",
    "found": "Fraction of objects with the right class and a box whose IoU is at least one half.",
    "extra": "Number of boxes where there is no object; lower is better.",
    "average_precision": "Area under the precision-recall curve; 1 is perfect.",
}
"""What each measure of a card counts, in a sentence; `how` of the card is exact."""


def measure_words(name: str) -> str:
    """A sentence about a measure; "" for one that is not known here."""
    return label(MEASURES.get(name, ""))


def chosen(cards: Sequence[Card], card: Card, query: Mapping[str, str]) -> list[Card]:
    """The models of the address, at most three and each once. The first is by default the one that
    the page is about, and the second the next that reads alike, or else the next.
    """
    by_id = {card["id"]: card for card in cards}
    first = by_id.get(query.get("first", ""), card)
    at = cards.index(first)
    others = [*cards[at + 1 :], *cards[:at]]
    alike = [card for card in others if card["encoding"] == first["encoding"]]
    second = by_id.get(query.get("second", ""), (alike or others)[0])
    third = [by_id[name] for name in [query.get("third", "")] if name in by_id]
    return list({card["id"]: card for card in (first, second, *third)}.values())


def rows(cards: Sequence[Card], alike: bool = False) -> list[tuple[str, list[str]]]:
    """A row for each number, for each measure that all models have beside the main one, and for
    each choice in which not all are alike, or for every choice if `alike`.
    """
    fields = dict.fromkeys(name for card in cards for name in card["config"])
    table = [
        (label("parameters"), [grouped(card["parameters"]) for card in cards]),
        (label("file size"), [model_cards.size(card["bytes"]) for card in cards]),
        (label("training time"), [minutes(card) for card in cards]),
        (label("main measure"), [model_cards.headline(dict(card)) or "–" for card in cards]),
    ]
    for name in measured_in_all(cards):
        found = [card["quality"][name] for card in cards]
        table.append(
            (model_cards.named(name), [model_cards.measured(measurement) for measurement in found])
        )
    for name in fields:
        values = [in_words(name, card["config"].get(name)) for card in cards]
        if alike or len(set(values)) > 1:
            table.append((label(FIELDS.get(name, name.replace("_", " "))), values))
    return table


def minutes(card: Card) -> str:
    """How long a model was trained; a dash where nobody has said."""
    known = card.get("training", {}).get("minutes")
    return "–" if known is None else f"{known} min"


def measured_in_all(cards: Sequence[Card]) -> list[str]:
    """The names of the measures that all models have, without the main one of all."""
    names = [list(model_cards.measures(dict(card))) for card in cards]
    main = {mine[0] for mine in names if mine}
    return [name for name in names[0] if all(name in mine for mine in names) and main != {name}]


def in_words(name: str, value: Any) -> str:
    """A choice in words; one that the card does not name, or that is of nothing, is a dash."""
    if name in CHOICES and value in CHOICES[name]:
        return label(CHOICES[name][value])
    if value in (None, "none", [], ()) or (name in EMPTY and value == 0):
        return "–"
    if isinstance(value, bool):
        return label("yes" if value else "no")
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return label(str(value).replace("_", " "))
