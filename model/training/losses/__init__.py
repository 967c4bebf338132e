"""What a training makes smaller."""
