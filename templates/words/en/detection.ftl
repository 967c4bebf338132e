# /detection.
-found_by = object detection, End-to-End Object Detection with Transformers, Carion, bounding box, object query, Hungarian matching, bipartite matching, set prediction, IoU
-answers = The class and the box of each object query after every layer, where one query looks, which object it is matched with, and the loss term by term
Detection =
    .query = The object query whose attention weights are sent, counted from 0.
DetectionFigures =
    .layer = The layer, counted from 0, after which the boxes are drawn. If it is left out, it is the last.
    .head = The head, counted from 0, whose weights are drawn as frames around the patches. If it is left out, it is the first.
PairLoss =
    .classes = What the cross-entropy of the classes adds.
    .l1 = What 5 times the L1 distance of the boxes adds.
    .giou = What 2 times (1 − generalised IoU) of the boxes adds.
SetLoss =
    .without_object = The part of `classes` that queries without an object add.
    .no_object_weight = The weight of the class “no object”. The paper has 0.1.
