"""The predictions for the numbers measured by /memory."""

from model.answers.laws import DIFFERENCE, Law, by_name

AS_WELL = 0.02
"""An increase of the loss by this much lowers the probability of a token by 2%."""

LAWS = by_name(
    Law(
        "sum_of_values",
        "Difference between the output and the sum of values",
        "0: the output is exactly b plus the sum of all mᵢ vᵢ",
        (0, 1e-10),
    ),
    Law(
        "other_tokens",
        "Change in the feed-forward output when all other tokens change",
        "0: the feed-forward network processes each token alone",
        (0, 0),
    ),
    Law(
        "other_tokens_in_attention",
        "Change in the attention output when all other tokens change",
        "attention depends on the other tokens",
        (0.1, None),
        "times its norm",
    ),
    Law(
        "fires",
        "Fraction of keys that fire at a token",
        "fewer than at initialization, where half of them fire",
        (0, 0.4),
        "of the keys",
    ),
    Law(
        "fires_fresh",
        "Fraction of keys that fire in an untrained network",
        "half of the keys at initialization",
        (0.45, 0.55),
        "of the keys",
    ),
    Law(
        "agreement.above_chance",
        "Values whose top ten words include the model’s next word, minus chance",
        "above chance: the value’s top {words} words include {fitting}",
        (0, None),
        f"of the values{DIFFERENCE}",
    ),
    Law(
        "agreement",
        "Values whose top ten words include the model’s next word",
        "how often the value’s top {words} words include {fitting}",
        unit="of the values",
    ),
    Law(
        "agreement_shuffled",
        "Shuffled values whose top ten words include the model’s next word",
        "chance: the same with shuffled values",
        unit="of the values",
    ),
    Law(
        "saved",
        "Bits that memory saves on held-out text",
        "above 0: a memory of {kept} tokens helps to predict held-out text",
        (0, None),
        "bits per character",
    ),
    Law(
        "beyond",
        "Bits lost with a longer memory than in training",
        "cost of a memory of {longest} tokens instead of the {kept} in training",
        unit="bits per character",
    ),
    Law(
        "cached",
        "Difference between segments with unlimited memory and the whole text",
        "0: with unlimited memory, segments give the same result as the whole text",
        (0, 1e-4),
        "nats",
    ),
    Law(
        "reach",
        "How far back a segment reaches",
        "layers × memory = {layers} × {kept}",
        unit="tokens",
    ),
    Law(
        "slots_sum",
        "Sum of an attention row over tokens and slots, minus 1",
        "0: the weights of a row over n tokens and N slots sum to 1",
        (0, 1e-5),
    ),
    Law(
        "no_slots",
        "Attention without slots minus plain attention",
        "0: without slots it is plain attention, bit for bit",
        (0, 0),
    ),
    Law(
        "slots.over_attention",
        "Loss with attention alone minus loss with trained slots",
        "no prediction",
        unit="nats per token",
    ),
    Law(
        "slots.less_feed_forward",
        "Extra loss with slots in place of feed-forward networks",
        "slots do as well as feed-forward networks: {few}",
        (None, AS_WELL),
        "nats per token",
    ),
)
