# /memory.
-found_by = key-value memory, Transformer Feed-Forward Layers Are Key-Value Memories, Geva, where facts are stored, factual knowledge, Transformer-XL, segment recurrence, persistent memory, Sukhbaatar, long-term memory
