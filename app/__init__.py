"""The web around the model. Only `worker` and the training command import torch."""
