"""Object detection: the overlap of boxes, the matching of queries to objects, and rendered scenes.
Read box_iou.py first.
"""
