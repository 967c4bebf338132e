"""How much of a deep model, a long sequence, or a large vocabulary is shown at once.

The web process imports this module and must never load torch, so this module doesn't import it.
"""

DEEP = 8
"""The maximum number of layers shown individually; deeper models are shown in groups or windows."""
BLOCKS = 128
"""The maximum side of an attention map tile, in blocks."""
OVERVIEW = 32
"""The maximum side of the overview of the whole map, in blocks."""
LONGEST = 4096
"""The maximum length of a long sequence, which is read without its attention maps, in tokens."""
POSITIONS = 128
"""The maximum number of positions in a window of a long sequence."""
PICTURE = 112
"""The maximum side of a picture in a URL, in pixels; a model rescales it."""
SCANNED = 8192
"""The maximum number of circuit rows examined; larger vocabularies are sampled at even
intervals.
"""
