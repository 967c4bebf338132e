# /probes.
-found_by = linear probe, probing classifier, diagnostic classifier, what a layer knows, what representations encode, BERT Rediscovers the Classical NLP Pipeline, Tenney, rank collapse, oversmoothing, tokens become alike, selectivity, control task, Attention is not all you need, Dong
