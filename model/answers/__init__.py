"""Answers: the tensors, axes, fields, and measurements that an analysis returns."""

from typing import Literal

Kind = Literal["trained", "yours", "random initialization", "constructed", "analytic"]
"""The provenance of numbers: "trained" for included models, "yours" for an added model, whose
training is unknown.
"""
