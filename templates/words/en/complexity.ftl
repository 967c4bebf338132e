# /complexity.
-found_by = complexity, quadratic, big O, O(n^2), cost of attention, computational cost, FLOPs, runtime, memory cost, speed, path length, table 1, convolution, parallel, long context
