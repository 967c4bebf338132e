"""The web around the model. Only `compute/worker.py` and the training command import torch."""
