"""Models of a table of one's own: what is learned, beside which baselines, and what is measured."""
