"""What /pixels expects of each number that it measures."""

from model.answers.laws import Law, by_name, each

SEES = {"line": "13 pixels in a line", "block": "13 pixels in a block", "all": "all pixels"}
BASELINES = {"independent": "independent pixels", "markov": "a Markov chain"}

LAWS = by_name(
    *(
        law
        for baseline, said in BASELINES.items()
        for law in each(
            SEES,
            Law(
                f"{{}}.less_{baseline}",
                f"Bits with {{}}, less those of {said}",
                "below 0: pixels tell of each other, and the network has learned what",
                (None, 0),
                "bits a pixel",
            ),
        )
    ),
    *each(
        {"line": "a line of 13", "all": "all"},
        Law(
            "block.less_{}",
            "Bits with a block of 13 pixels, less those with {}",
            "as measured",
            unit="bits a pixel",
        ),
    ),
    Law(
        "later",
        "Largest influence of later pixels",
        "0: a pixel is written before those that follow it",
        (0, 0),
    ),
    Law(
        "outside",
        "Largest influence of pixels beyond the reach of the windows",
        "0: {layers} layers reach no farther",
        (0, 0),
    ),
    Law(
        "reach",
        "Positions that the last pixel depends on, besides its digit",
        "{reached}: those that {layers} layers of its mask reach",
    ),
    Law(
        "cached",
        "Largest change of a probability, written one by one or read at once",
        "0 up to rounding",
        (0, 1e-5),
    ),
)
