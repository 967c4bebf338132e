"""What every word answered about every model before `model/` was put into rooms."""
