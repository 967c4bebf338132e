"""The process that answers: on top of the mathematics and of what draws, which it composes."""
