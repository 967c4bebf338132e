"""Boxes, matching and drawn scenes."""
