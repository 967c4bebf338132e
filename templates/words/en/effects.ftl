# /effects.
-found_by = ablation, knock out, head pruning, Are Sixteen Heads Really Better than One, Michel, turn off a head, remove a layer, which heads matter, head importance, lesion, leave one out, redundant
