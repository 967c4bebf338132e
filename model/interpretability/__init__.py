"""Pure functions of a run or of weights."""
