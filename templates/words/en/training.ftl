# /training.
-found_by = induction head, In-context Learning and Induction Heads, Olsson, in-context learning, few-shot, phase change, emergence, training dynamics, learning curve, loss curve, checkpoints, repeated sequence, pattern completion
