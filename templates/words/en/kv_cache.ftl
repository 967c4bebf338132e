# /kv-cache.
-found_by = KV cache, key value cache, caching, past_key_values, fast inference, inference speed, prefill, incremental decoding, memory of inference
