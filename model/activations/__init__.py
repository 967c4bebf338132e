"""What is said of every activation: its axes, formula, operands and derivation, one file a part."""
