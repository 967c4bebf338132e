# /patching.
-found_by = activation patching, causal tracing, causal mediation, interchange intervention, path patching, counterfactual, corrupted run, clean run, resample, localisation
