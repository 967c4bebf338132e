"""The network, one part a file."""
