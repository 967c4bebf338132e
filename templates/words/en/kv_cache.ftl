# /kv-cache. Fields and conditions: app/experiments/kv_cache.py; facts: tests/app/words/kv_cache.py.
-answers = Which keys and values a decoder computes at each step with and without a cache, the multiplications and memory this takes, and how much the logits differ
-cached = with the cache
-anew = without the cache

question = Does the KV cache change the output?
-found_by = KV cache, key value cache, caching, past_key_values, fast inference, inference speed, prefill, incremental decoding, memory of inference
claim = The KV cache saves work without changing the output
look_for =
    { $shown ->
        [multiplications] Each point on the right is one step. Without the cache, each step computes the keys and values of all tokens so far; with the cache, only the newest token’s. With more tokens, the gap grows.
        [bytes] On the right, each step adds the same number of bytes: the new token’s key and value in every layer. The cache saves work but needs memory.
       *[other] Each row is one step, each column a token. With the cache (left), each step computes the keys and values of the newest token; without it (right), each step also recomputes those of all earlier tokens.
    }
reading = Without the cache, generating the text takes { $saved } times as many multiplications as with it. The logits differ by at most { $logits }, which is rounding error.
-few = 4
-many = 10
asks = A decoder generates { $tokens } tokens, one after another. Without a cache for keys and values, how many multiplications does it need, compared with a decoder that has one?
    .few = At most { -few } times as many
    .some = { -few } to { -many } times as many
    .many = More than { -many } times as many
    .tokens = { $tokens } tokens
with = Keys and values, { -cached }
    .description = { computed } { -cached }: the keys and values of { $computed_with } tokens.
without = Keys and values, { -anew }
    .description = { computed } { -anew }: the keys and values of { $computed_without } tokens, counting a token again whenever it is computed again.
computed = Computed in { $step_length } steps
multiplications = Work per step
    .description = In the last step: { $multiplications_with } million multiplications { -cached }, { $multiplications_without } million { -anew }.
bytes = Memory for the cache
    .description = The cache holds { $bytes_first } KiB after one token and { $bytes_last } KiB after { $step_length }.
KVCache =
    .tokens = The number of tokens, one per step.
