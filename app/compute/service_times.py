"""Measures how long the worker takes, so that a question that would wait too long is refused at
once.
"""

FIRST_GUESS = 0.1  # seconds
ALPHA = 0.1
MANY = 8
SHARE = 0.4
"""A question that is computed with MANY or more is guessed to take this part of its time alone,
until it was measured: the figures of a sentence took 17 ms among 24 sentences, and 43 ms alone.
"""


class ServiceTimes:
    """Exponential moving averages of the service time, for each word and for all words (alpha =
    0.1), alone and among many.

    The service time is that of one turn of the worker, because a long computation gives way to
    others after each turn; among many it is the turn's divided by how many had it.
    """

    def __init__(self) -> None:
        self.means: dict[tuple[str | None, bool], tuple[int, float]] = {}

    def record(self, word: str, seconds: float, together: int = 1) -> None:
        for name in (word, None):
            key = name, together >= MANY
            count, mean = self.means.get(key, (0, 0.0))
            weight = max(1 / (count + 1), ALPHA)
            self.means[key] = (count + 1, mean + weight * (seconds - mean))

    def has_measured(self, word: str | None) -> bool:
        return (word, False) in self.means or (word, True) in self.means

    def estimate(self, word: str | None = None, together: int = 1) -> float:
        """Returns the seconds of one turn, and of a question among so many its part of the turn.
        For a word that was never asked, this is the mean of all words.
        """
        alone, among = self.means.get((word, False)), self.means.get((word, True))
        if together >= MANY:
            return among[1] if among else SHARE * self.estimate(word)
        if among and not alone:
            return among[1] / SHARE
        alone = alone or self.means.get((None, False))
        return alone[1] if alone else FIRST_GUESS
