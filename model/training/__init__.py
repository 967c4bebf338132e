"""Recipes for the shipped models: data -> checkpoints -> weights and card."""
