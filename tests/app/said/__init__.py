"""A second rendering of what pages say. Each word has a file with its fields, computed from the
answer's tensors, findings and question without the package `app.captions`, and with its sayings:
the few words around a number, a name or a word of comparison that say what it is. `sayings` finds
what a sentence says and no saying explains.
"""
