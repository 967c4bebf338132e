"""How much of a deep model, a long text or a large vocabulary is shown at once.

The web process reads it too. It never loads torch, and so this module imports none.
"""

DEEP = 8
"""The most layers that are all shown; of more, groups or windows of so many are."""
BLOCKS = 128
"""How many blocks to a side a tile of an attention map has at most."""
OVERVIEW = 32
"""How many blocks to a side the whole map has at most beside a tile of it."""
LONGEST = 4096
"""How many tokens of a long text are read, without its attention maps, at most."""
POSITIONS = 128
"""How many positions a window of a long text has at most."""
PICTURE = 112
"""How many pixels to a side a picture has in an address at most; a model scales it to its own."""
SCANNED = 8192
"""How many rows of a circuit are looked through at most: of a larger vocabulary, rows at even
distances.
"""
