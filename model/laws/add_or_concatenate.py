"""What /add-or-concatenate expects of each number that it measures."""

from model.laws import Law, by_name, each

LAWS = by_name(
    Law(
        "identity",
        "Query from [x; p] and from x + p, difference",
        "[x; p] [W; W] = (x + p) W",
        (0, 1e-9),
    ),
    *each(
        {"token": "Token", "position": "Position"},
        Law(
            "{}",
            "{}, read from the sum",
            "nearly 1: a linear map reads it from the sum",
            (0.95, None),
            "of the places",
        ),
    ),
    *each(
        {
            f"{way}.{part}": f"{said} read right: {named}"
            for way, named in (("halves", "concatenated, d/2 each"), ("whole", "concatenated, 2d"))
            for part, said in (("token", "Token"), ("position", "Position"))
        },
        Law(
            "{}",
            "{}, minus added",
            "concatenated less added, at noise 1",
            unit="of the places",
        ),
    ),
    Law(
        "weights",
        "Weights in W: concatenated divided by added",
        "[x; p] has twice as many numbers, and W as many rows",
        unit="times",
    ),
    Law(
        "cosine",
        "Cosine of a token and its position, without its sign",
        "|cosine| of a token and its position",
    ),
)
