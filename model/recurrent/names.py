"""What the networks of /recurrence are called.

The web process reads it too. It never loads torch, and so this module imports none.
"""

NAMES = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "rnn-attention": "RNN + attention",
    "lstm-attention": "LSTM + attention",
    "transformer": "Transformer",
}
ATTENDING = ("rnn-attention", "lstm-attention", "transformer")
"""Those that have attention."""
