"""What /memory expects of each number that it measures."""

from model.answers.laws import Law, by_name

AS_WELL = 0.02
"""A loss that is larger by so much makes the probability of a token smaller by 2 %."""

LAWS = by_name(
    Law(
        "sum_of_values",
        "Difference between the output and the sum of values",
        "0: the output is exactly b plus the sum of all mᵢ vᵢ",
        (0, 1e-10),
    ),
    Law(
        "other_tokens",
        "Change of the feed-forward when all other tokens change",
        "0: the feed-forward sees its own token alone",
        (0, 0),
    ),
    Law(
        "other_tokens_in_attention",
        "Change of attention when all other tokens change",
        "attention sees the other tokens",
        (0.1, None),
        "of its output",
    ),
    Law(
        "fires",
        "Share of keys that fire at a token",
        "fewer than at initialisation, where half of them fire",
        (0, 0.4),
        "of the keys",
    ),
    Law(
        "fires_fresh",
        "Share of keys that fire in an untrained network",
        "half of the keys at initialisation",
        (0.45, 0.55),
        "of the keys",
    ),
    Law(
        "agreement.above_chance",
        "Values that name the fitting word, beyond chance",
        "more often than by chance one of {words} words is {fitting}",
        (0, None),
        "of the values",
    ),
    Law(
        "agreement",
        "Values that name the fitting word",
        "how often one of {words} words is {fitting}",
        unit="of the values",
    ),
    Law(
        "agreement_shuffled",
        "Shuffled values that name the fitting word",
        "chance: how often, after the values are shuffled",
        unit="of the values",
    ),
    Law(
        "saved",
        "Bits that memory saves on held-out text",
        "above 0: a memory of {kept} helps to predict held-out text",
        (0, None),
        "bits a character",
    ),
    Law(
        "beyond",
        "Bits lost with a longer memory than in training",
        "what {longest} remembered inputs cost beside {kept}, as many as in training",
        unit="bits a character",
    ),
    Law(
        "cached",
        "Difference between full memory and the whole text at once",
        "0: with a memory of everything, segments are the whole text",
        (0, 1e-4),
        "nats",
    ),
    Law(
        "reach",
        "How far back a segment reaches",
        "layers x memory = {layers} x {kept}",
        unit="tokens",
    ),
    Law(
        "slots_sum",
        "Sum of a row over tokens and slots, less 1",
        "0: a row over n + N columns sums to 1",
        (0, 1e-5),
    ),
    Law(
        "no_slots",
        "Difference between no slots and plain attention",
        "0: without slots it is plain attention, bit for bit",
        (0, 0),
    ),
    Law(
        "slots.over_attention",
        "Loss that trained slots save beside attention alone",
        "what slots save beside attention alone, as measured",
        unit="nats a token",
    ),
    Law(
        "slots.less_feed_forward",
        "Loss with slots, less that with feed-forward networks",
        "slots do as well as feed-forward networks: {few}",
        (None, AS_WELL),
        "nats a token",
    ),
)
