"""Models side by side: their numbers and the choices of their configurations, each field and each
choice in words, and in words what every measure of quality counts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.captions.text import grouped
from app.figures import placements
from app.site import model_cards
from model.layers.choice_names import NORM_NAMES

Card = Mapping[str, Any]

FIELDS = {
    "family": "stacks",
    "vocabulary_size": "kinds of tokens, or classes",
    "inputs": "input",
    "image_side": "side of a picture (pixels)",
    "patch_side": "side of a patch (pixels)",
    "colours": "colours of a picture",
    "n_queries": "object queries",
    "n_numeric": "columns of numbers",
    "categories": "options of each column of categories",
    "between_rows": "rows read one another",
    "readout": "the answer is read from",
    "d_model": "width of the stream, d_model",
    "n_heads": "heads of each attention",
    "n_kv_heads": "heads of keys and values",
    "d_ff": "neurons of each feed-forward, d_ff",
    "n_encoder_layers": "encoder layers",
    "n_decoder_layers": "decoder layers",
    "max_length": "most tokens",
    "placement": "place of the norm",
    "norm": "kind of norm",
    "shortcut": "factor of the shortcut",
    "positions": "positions added to the tokens",
    "relative": "positions inside attention",
    "score": "score of a query and a key",
    "weighing": "weights from scores",
    "n_features": "random features",
    "features": "kind of random features",
    "draws": "random features are drawn",
    "slots": "persistent slots",
    "segment": "tokens of a segment",
    "memory": "tokens remembered from before",
    "activation": "activation of the feed-forward",
    "gated": "feed-forward has a gate",
    "biases": "linear maps have biases",
    "scaled_embedding": "embedding times √d_model",
    "normed_embedding": "embedding is normalised",
    "tied_unembedding": "embedding and unembedding are one matrix",
    "unembedding_bias": "unembedding has a bias",
    "norm_epsilon": "ε of the norm",
}
"""The fields of a configuration in words."""

CHOICES = {
    "placement": placements.NAMES,
    "norm": NORM_NAMES,
    "relative": {"none": "none", "rope": "rotary"},
    "activation": {"relu": "ReLU", "gelu": "GELU"},
    "readout": {"unembedding": "one token", "bypass": "all tokens and the numbers"},
    "n_kv_heads": {0: "one for each head"},
    "score": {"scaled_dot": "scaled dot product"},
    "n_encoder_layers": {0: "no encoder"},
    "n_decoder_layers": {0: "no decoder"},
    "d_ff": {0: "no feed-forward"},
    "segment": {0: "the whole text"},
}
"""Choices in words; others are told as they are."""

EMPTY = ("image_side", "patch_side", "n_queries", "n_numeric", "slots", "memory")
"""Numbers of parts that a model need not have: 0 is a dash."""

MEASURES = {
    "token_accuracy": "The share of tokens that are predicted right when those before are given.",
    "exact_match": "The share of answers that are right from beginning to end.",
    "chrf": "How many short runs of letters a translation shares with a reference, from 0 to 1.",
    "alignment": "How often attention is largest on the word that is translated.",
    "bits_per_character": "How many bits a character of new text costs; fewer are better.",
    "form": "How often sampled text is laid out as a play.",
    "memory": "How much better the model predicts with its memory than without it.",
    "top_5": "How often the missing word is among the five most probable.",
    "top_1": "How often the missing word is the most probable.",
    "phoneme_error_rate": "The share of sounds that are wrong; fewer are better.",
    "word_error_rate": "The share of words with any wrong sound; fewer are better.",
    "monotone": "How steadily attention goes through the letters from left to right.",
    "left_alone": "How often a word without a mistake is left as it is.",
    "repeat_accuracy": "The share of repeated letters that are predicted right.",
    "repeat_loss": "The loss of a letter that repeats an earlier one; less is better.",
    "first_loss": "The loss of a letter that cannot be known; less is better.",
    "induction": "How much the strongest head looks at what followed the same letter before.",
    "previous": "How much the heads look at the letter before.",
    "accuracy": "The share of answers with the right class.",
    "loss": "The loss of the right answer; less is better.",
    "log_loss": "The loss of the right class; less is better.",
    "calibration_error": "How far it is from being as often right as it is sure; less is better.",
    "interpolated": "The accuracy when the picture is cut into other numbers of patches.",
    "local_attention": "How often it is right when each patch sees only those around it.",
    "iou": "How much predicted and true boxes overlap: 1 is equal, 0 is apart.",
    "found": "The share of objects with the right class and a box that overlaps by half.",
    "extra": "How many boxes stand where nothing is; fewer are better.",
    "average_precision": "The area under the curve of precision over recall; 1 is perfect.",
}
"""What each measure of a card counts, in a sentence; `how` of the card is exact."""


def measure_words(name: str) -> str:
    """A sentence about a measure; "" for one that is not known here."""
    return MEASURES.get(name, "")


def chosen(cards: Sequence[Card], card: Card, query: Mapping[str, str]) -> list[Card]:
    """The models of the address, at most three and each once. The first is by default the one that
    the page is about, and the second the next that reads alike, or else the next.
    """
    by_id = {one["id"]: one for one in cards}
    first = by_id.get(query.get("first", ""), card)
    at = cards.index(first)
    others = [*cards[at + 1 :], *cards[:at]]
    alike = [one for one in others if one["encoding"] == first["encoding"]]
    second = by_id.get(query.get("second", ""), (alike or others)[0])
    third = [by_id[name] for name in [query.get("third", "")] if name in by_id]
    return list({one["id"]: one for one in (first, second, *third)}.values())


def rows(cards: Sequence[Card], alike: bool = False) -> list[tuple[str, list[str]]]:
    """A row for each number, for each measure that all models have beside the main one, and for
    each choice in which not all are alike, or for every choice if `alike`.
    """
    fields = dict.fromkeys(name for card in cards for name in card["config"])
    told = [
        ("parameters", [grouped(card["parameters"]) for card in cards]),
        ("size of the file", [model_cards.size(card["bytes"]) for card in cards]),
        ("trained for", [minutes(card) for card in cards]),
        ("main measure", [model_cards.headline(dict(card)) or "–" for card in cards]),
    ]
    for name in measured_in_all(cards):
        found = [card["quality"][name] for card in cards]
        told.append((model_cards.named(name), [model_cards.measured(one) for one in found]))
    for name in fields:
        values = [in_words(name, card["config"].get(name)) for card in cards]
        if alike or len(set(values)) > 1:
            told.append((FIELDS.get(name, name.replace("_", " ")), values))
    return told


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
    if value is None or value in ([], ()) or (name in EMPTY and value == 0):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return CHOICES.get(name, {}).get(value) or str(value).replace("_", " ")
