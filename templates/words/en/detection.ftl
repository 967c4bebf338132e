# /detection.
-found_by = object detection, End-to-End Object Detection with Transformers, Carion, bounding box, object query, Hungarian matching, bipartite matching, set prediction, IoU
-answers = The class and box of each object query after every layer, what one query attends to, the object it is matched with, and the loss term by term
Detection =
    .query = The object query whose attention weights are returned, counted from 0.
DetectionFigures =
    .layer = The layer, counted from 0, after which the boxes are drawn. By default, the last.
    .head = The head, counted from 0, whose weights are drawn as frames around the patches. By default, the first.
PairLoss =
    .classes = The cross-entropy term of the classes.
    .l1 = 5 times the L1 distance of the boxes.
    .giou = 2 times (1 − generalized IoU) of the boxes.
SetLoss =
    .without_object = The part of `classes` from queries without an object.
    .no_object_weight = The weight of the class “no object”; 0.1 in the paper.
