"""Display names of the networks of /recurrence.

The web process imports this module and must never load torch, so this module doesn't import it.
"""

NAMES = {
    "rnn": "RNN",
    "lstm": "LSTM",
    "rnn-attention": "RNN + attention",
    "lstm-attention": "LSTM + attention",
    "transformer": "Transformer",
}
ATTENDING = ("rnn-attention", "lstm-attention", "transformer")
"""The networks with attention."""
