"""What a question is answered with."""
