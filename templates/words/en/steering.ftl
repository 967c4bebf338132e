# /steering. Fields and conditions: app/experiments/steering.py; facts: tests/app/words/steering.py.
-answers = A model's output while a direction is added to its residual stream, at several strengths, compared with random directions
-zero = 0

-found_by = steering vector, activation addition, activation engineering, control vector, representation engineering, concept direction, intervention, Turner
texts = Output at each strength
    .description =
        { $changed ->
           *[yes] At strength { $strength }, the model outputs { $now }; without the direction, { $plain }.
            [no] At strength { $strength }, the output is the same as without the direction: { $now }.
        }
    .more = { direction } { repetition }
direction =
    { $direction ->
       *[difference] The direction is the mean of the decoder’s residual stream after layer { $layer } with the input { $toward } minus its mean with the input { $away }.
        [probe] The direction comes from a linear probe that separates the positions of { $toward } from those of { $away } after layer { $layer }. On held-out positions, the probe is right { $right } of the time, { better } than guessing the input with more positions each time ({ $chance }).
        [token] The direction is the embedding of the token { $first }.
    }
better =
    { $better ->
       *[yes] better
        [no] no better
    }
repetition =
    { $breaks ->
       *[yes] At strength { $broken }, the output repeats itself: fewer than { $repeats } of its tokens are distinct.{ unlike-training }
        [no] Steering that is too strong can make the output repeat itself endlessly. Here, this happens at no strength above { -zero }.
    }
unlike-training =
    { $yours ->
       *[no] { " " }Such output is unlike the training data.
        [yes] { "" }
    }
random = Output with a random direction
    .description =
        { $random_changed ->
           *[yes] At strength { $strength }, a random direction of the same norm also changes the output: { $random_now } instead of { $plain }.
            [no] At strength { $strength }, a random direction of the same norm changes nothing: the output is { $random_now }.
        }
    .more = Any vector changes the output if its norm is large enough, whatever its direction.
effect = Effect of the direction and of random ones
    .description = { $direction ->
       *[difference] At strength { $strength }, the tokens that occur in { $toward } but not in { $away } ({ wanted }) together have a probability of { $share_at }, averaged over the generated positions.
        [probe] At strength { $strength }, the tokens that occur in { $toward } but not in { $away } ({ wanted }) together have a probability of { $share_at }, averaged over the generated positions.
        [token] At strength { $strength }, the token { wanted } has a probability of { $share_at }, averaged over the generated positions.
    } Without the direction, it is { $share_without }; { random-shares }. So this direction gives { compared }.
    .more = Without the direction, the model’s loss on this text is { $surprise_at } nats per token; on its own text, { $surprise_without }. The higher the loss, the less probable the model finds the text. Text that repeats one token can have a low loss, because the model expects repetition to continue.
wanted =
    { $several ->
       *[no] { $wanted }
        [yes] { $wanted } and { others }
    }
others =
    { $others ->
        [one] { $others } other
       *[other] { $others } others
    }
random-shares =
    { $draws_count ->
        [one] with { $draws_count } random direction of the same norm it is { $lowest }
       *[other] { several-shares }
    }
several-shares =
    { $alike ->
       *[no] with { $draws_count } random directions of the same norm it is { $lowest } to { $highest }
        [yes] with each of { $draws_count } random directions of the same norm it is { $lowest }
    }
compared =
    { $compared ->
       *[more] a larger probability than any of the random directions
        [less] a smaller probability than any of the random directions
        [between] no larger probability than the random directions
    }
usual =
    .layer = middle
links =
    .generate = How each token is chosen without a direction
    .residual = The residual stream that the direction is added to
    .probes = What linear probes recover
Steering =
    .direction = What is added to the residual stream: the `difference` of the mean streams of two inputs, the direction of a linear `probe` that separates their positions, or the embedding of a `token`.
    .toward = For `difference` and `probe`: the input to steer toward, given like the model's own input.
    .away = For `difference` and `probe`: the input to steer away from.
    .token = For `token`: one token of the model, as text. A leading space makes it another token.
    .layer = The layer, counted from 0, after which the direction is added. Default: the middle one.
    .strength = How much of the direction is added; at 1 the vector is as long as the residual stream itself. The answer has nine other strengths, too.
    .seed = Seed of the random directions.
    .draws = Number of random directions of the same norm to compare with.
    .max_new_tokens = The largest number of tokens in each text. Default: 20.
SteeredText =
    .ended = Whether the model ended the text itself.
SteeringAnswer =
    .toward = The input that the direction leads to.
    .away = The input that it leads away from.
    .token = The token whose embedding is added.
    .right = With `probe`: the fraction of positions it gets right, each left out of its fitting.
    .chance = With `probe`: the fraction of positions in the larger input.
    .layers = Number of layers in the stack.
    .at = The index of this strength among those of the answer.
    .without = The index of strength 0.
    .stream_length = The mean norm of the residual stream there.
    .direction_length = The norm of the direction before scaling.
    .wanted = The tokens whose probability is counted: those that occur only in the input `toward`.
    .texts = The output at each strength.
    .random_texts = The output with the first random direction.
