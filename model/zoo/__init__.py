"""The shipped models."""
