"""What /probes expects of each number that it measures."""

from model.laws import Band, Law, by_name

COLLAPSED = 0.99
ABOVE: Band = (0, None)

LAWS = by_name(
    Law(
        "position.over_word.embedding",
        "Position in the embedding, less the guess from the word",
        "above 0: better than the guess from the word",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "position.over_word",
        "Position after the last layer, less the guess from the word",
        "above 0: better than the guess from the word",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "position.over_word.off",
        "The same without the residual",
        "below 0: worse than the guess from the word",
        (None, 0),
        "of the tokens",
    ),
    Law(
        "residual.position",
        "Position after the last layer, with the residual less without",
        "above 0: it is lost without the residual",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "residual.token",
        "Token after the last layer, with the residual less without",
        "above 0: it is lost without the residual",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "selectivity.token",
        "Token after the last layer, less random labels",
        "the token is easier to read than a random label for each word",
        (0.05, None),
        "of the tokens",
    ),
    Law("position.embedding", "Position in the embedding", "only measured", unit="of the tokens"),
    Law("position.last", "Position after the last layer", "only measured", unit="of the tokens"),
    Law(
        "position.last.off",
        "Position after the last layer, without the residual",
        "only measured",
        unit="of the tokens",
    ),
    Law(
        "by_word",
        "Position guessed from the word",
        "a guess of the place where the word stood most often",
        unit="of the tokens",
    ),
    Law("token.last", "Token after the last layer", "only measured", unit="of the tokens"),
    Law(
        "token.last.off",
        "Token after the last layer, without the residual",
        "only measured",
        unit="of the tokens",
    ),
    Law(
        "control.last",
        "Random labels after the last layer",
        "one random label for each word",
        unit="of the tokens",
    ),
    Law(
        "gap",
        "Position after the last layer, fitted sentences less held-out ones",
        "above 0: a probe does better on the sentences it was fitted to",
        ABOVE,
        "of the tokens",
    ),
    Law(
        "cosine.on",
        "Cosine of two tokens with the residual",
        "below 0.99: no rank collapse with the residual",
        (None, COLLAPSED),
    ),
    Law(
        "cosine.off",
        "Cosine of two tokens without the residual",
        "above 0.99: rank collapse",
        (COLLAPSED, None),
    ),
    Law(
        "cosine.more_without",
        "Cosine of two tokens, without the residual less with it",
        "above 0: tokens are more alike without the residual",
        ABOVE,
    ),
    Law(
        "direct.on", "Share that comes straight from the position", "only measured", unit="of |x|²"
    ),
    Law(
        "direct.off",
        "Shares that come straight from token or position, without the residual",
        "0: no direct path is left without the residual",
        (0, 0),
        "of |x|²",
    ),
    Law(
        "parts",
        "Shares of token and position in the embedding, together, less 1",
        "0: the embedding is the sum of token and position",
        (0, 1e-5),
    ),
)
