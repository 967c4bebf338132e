"""Models of users' own tables: the training, the baselines, and the measures."""
