"""The shipped models, for what is asked of each of them."""

from model.zoo.models import ids
from tests.thorough import mostly

REPEATED = ("translator-pre", "pronouncer", "speller", "shakespeare", "induction-1", "flights-ft")
"""Models whose family, inputs, positions and place of the norms others have too."""
MODELS = mostly(ids(), *(id for id in ids() if id not in REPEATED))
