"""What runs a clinic at length, each as `python -m`: a training that is followed live, and the
recipes of those that are shipped.
"""
