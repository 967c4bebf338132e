# /kv-cache. Fields and conditions: app/experiments/kv_cache.py; facts: tests/app/words/kv_cache.py.
-answers = Which keys and values a decoder computes at each step with a cache and without one, the multiplications and bytes that this takes, and how far the logits differ
-cached = with the cache
-anew = without it

-found_by = KV cache, key value cache, caching, past_key_values, fast inference, inference speed, prefill, incremental decoding, memory of inference
claim = The KV cache saves work and changes no answer
look_for =
    { $shown ->
        [multiplications] Each point on the right is one step. Without the cache a step computes every token that was read so far, and with the cache only the newest one. Choose more tokens, and the distance of the lines grows.
        [bytes] Each step adds the same number of bytes: a key and a value of the new token in every layer. The cache saves work and costs memory.
       *[other] Each row is one step of writing, and each column is a token. C marks keys and values that the step computes, and R those that it reads from the cache. Without the cache every step computes all of them again.
    }
reading = Without the cache the text takes { $saved } times as many multiplications. The logits of the two ways differ by { $logits } at most.
-few = 4
-many = 10
asks = A decoder writes a text of { $tokens } tokens, one after another. If it kept nothing between two steps, how many multiplications would it need, compared with keeping its keys and values?
    .few = At most { -few } times as many
    .some = { -few } to { -many } times as many
    .many = More than { -many } times as many
    .tokens = { $tokens } tokens
with = Keys and values, { -cached }
    .description = { -cached }: { computed } { $computed_with } { steps }
without = Keys and values, { -anew }
    .description = { -anew }: { computed } { $computed_without } { steps }
computed = keys and values of a token are computed
steps = times in { $step_length } steps.
multiplications = The work of each step
    .description = At the last step { $multiplications_with } million multiplications { -cached }, { $multiplications_without } million { -anew }.
bytes = What the cache costs in memory
    .description = The cache holds { $bytes_first } KiB after one token and { $bytes_last } KiB after { $step_length }.
KVCache =
    .tokens = How many tokens are read, one at each step.
