# /detection.
-found_by = détection d’objets, End-to-End Object Detection with Transformers, DETR, Carion, boîte englobante, cadre, requête d’objet, appariement hongrois, algorithme hongrois, appariement biparti, prédiction d’ensembles, IoU, object detection, bounding box, object query, Hungarian matching, bipartite matching
