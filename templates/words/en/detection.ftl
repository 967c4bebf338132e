# /detection.
-found_by = object detection, End-to-End Object Detection with Transformers, Carion, bounding box, object query, Hungarian matching, bipartite matching, set prediction, IoU
