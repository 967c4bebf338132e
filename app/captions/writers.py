"""What writes to a residual stream: its names in words, and its role, which has a colour."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Writer:
    """What writes to the stream: its name in words, a short one for an axis, and its colour."""

    title: str
    short: str
    role: str


WRITERS = {
    "embedding": Writer("embedding", "embed", "embedding"),
    "token": Writer("token embedding", "token", "embedding"),
    "position": Writer("position", "pos", "position"),
    "token_type": Writer("type of the text", "type", "position"),
    "attention": Writer("self-attention", "self", "attention"),
    "cross_attention": Writer("cross-attention", "cross", "cross"),
    "feed_forward": Writer("feed-forward", "ffn", "feed-forward"),
    "row_attention": Writer("attention between rows", "rows", "cross"),
    "row_feed_forward": Writer("feed-forward after rows", "ffn", "feed-forward"),
    "bias": Writer("biases", "bias", "bias"),
    "norm": Writer("final norm", "norm", "stream"),
    "edit": Writer("edit", "edit", "ink"),
}
