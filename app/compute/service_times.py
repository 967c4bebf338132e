"""Measures how long the worker takes, so that a question that would wait too long is refused at
once.
"""

FIRST_GUESS = 0.1  # seconds
ALPHA = 0.1


class ServiceTimes:
    """Exponential moving averages of the service time, for each word and for all words (alpha =
    0.1).

    The service time is that of one turn of the worker, because a long computation gives way to
    others after each turn.
    """

    def __init__(self) -> None:
        self.means: dict[str | None, tuple[int, float]] = {}

    def record(self, word: str, seconds: float) -> None:
        for name in (word, None):
            count, mean = self.means.get(name, (0, 0.0))
            weight = max(1 / (count + 1), ALPHA)
            self.means[name] = (count + 1, mean + weight * (seconds - mean))

    def estimate(self, word: str | None = None) -> float:
        """Returns the seconds of one turn. For a word that was never asked, this is the mean of all
        words.
        """
        _, mean = self.means.get(word) or self.means.get(None) or (0, FIRST_GUESS)
        return mean
