"""Object detection: the overlap of boxes and the matching of queries to objects. Read
box_iou.py first.
"""
