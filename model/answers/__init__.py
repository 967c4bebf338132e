"""Answers: the tensors, axes, fields, and measurements that an analysis returns."""
