"""What /complexity expects of each number that it measures."""

from model.answers.laws import Law, by_name

LAWS = by_name(
    Law(
        "crossover_length",
        "Table 1: attention costs as much as recurrence at n",
        "the first length at which the operations of table 1 are as many",
        unit="positions",
    ),
    Law(
        "crossover_products",
        "Pairs cost as much as all matrices of a layer at n",
        "the first length at which 2 n^2 d >= 4 n d^2 + 8 n d^2",
        unit="positions",
    ),
    Law(
        "gradient.0.8",
        "RNN after 64 steps, gain 0.8",
        "vanishes: at most 0.8^64 = 6.3e-7",
        (None, 1e-6),
    ),
    Law(
        "gradient.1.2",
        "RNN after 64 steps, gain 1.2",
        "explodes where inputs are so small that tanh is linear: above 100",
        (100, None),
    ),
    Law("gradient.lstm", "LSTM after 64 steps", "of the cell c: a product of forget gates"),
    Law(
        "gradient.attention",
        "Attention, farther half over nearer half",
        "about 1 in every seed: the farther half gets as much as the nearer",
        (0.7, 1.4),
    ),
    Law(
        "attention.even",
        "Attention over that of equal weights",
        "1, as if every weight were 1 / n, where inputs are small",
        (0.9, 1.1),
    ),
    Law(
        "gradient.own",
        "Own position, with the shortcut",
        "about 1: the shortcut passes a position's gradient on whole",
        (0.9, 1.2),
    ),
    Law(
        "bound",
        "RNN over its bound, at most",
        "at most 1: no gradient is above g^distance",
        (0, 1 + 1e-9),
    ),
)
