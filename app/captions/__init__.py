"""Captions: what a page says about an answer, computed from the state of its controls and from
what was found. Figures stand on them: `text` says how tokens and numbers are written, `axes`,
`findings` and `facts` what stands in an answer, and `writers` what the parts of a stream are
called. `words` are the messages of a page, `fields` what they may name, `clinic` and `page` what is
said of laws and of runs, `verdicts` whether a claim holds; `terms` explains the terms of the field.
`edited` and `arrangement` say what is otherwise in a run than in the one as given, and
`plain_names` what its numbers are called.

The web process reads the general claims here, so no file of this package imports torch or Plotly.
"""

from collections.abc import Mapping
from typing import Any

Question = Mapping[str, Any]
"""What was asked: the fields of a question by their names."""
