# /steering. Fields and conditions: app/experiments/steering.py; facts: tests/app/words/steering.py.
-answers = What a model writes while a direction is added to its stream, at several strengths and beside random directions
-zero = 0

-found_by = steering vector, activation addition, activation engineering, control vector, representation engineering, concept direction, intervention, Turner
texts = What is written at each strength
    .description =
        { $changed ->
           *[yes] At strength { $strength } the model writes { $now }, and without the direction { $plain }.
            [no] At strength { $strength } the model writes what it writes without it: { $now }.
        }
    .more = { direction } { repetition }
direction =
    { $direction ->
       *[difference] The direction is the mean of the stream over { $toward } after layer { $layer } minus the mean over { $away }.
        [probe] The direction is that of a linear probe that tells the positions of { $toward } and { $away } apart after layer { $layer }. It is right at { $right } of them, each of which is left out of its fitting. That is { better } than a guess of the larger input, { $chance }.
        [token] The direction is the embedding of the token { $first }.
    }
better =
    { $better ->
       *[yes] better
        [no] no better
    }
repetition =
    { $breaks ->
       *[yes] At strength { $broken } the text repeats itself: fewer than { $repeats } of its tokens are distinct.{ unlike-training }
        [no] No text above strength { -zero } repeats itself all the time.
    }
unlike-training =
    { $yours ->
       *[no] { " " }Such a text is unlike those that the model was trained on.
        [yes] { "" }
    }
random = What is written with a random direction
    .description =
        { $random_changed ->
           *[yes] At strength { $strength } a random direction of the same length changes the text, too: { $random_now } in the place of { $plain }.
            [no] At strength { $strength } a random direction of the same length changes nothing: the model writes { $random_now }.
        }
    .more = Any vector changes the text if it is long enough, whatever its direction is.
effect = What the direction does, and random ones
    .description = At strength { $strength } the tokens { wanted } get { $share_at } of the probability. Without the direction they get { $share_without }, and with { random-shares }. So this direction { compared }.
    .more = The model without the direction gives this text a loss of { $surprise_at } nats a token, and its own text { $surprise_without }. The higher the loss, the less the model itself would write this text. A text that repeats one token may have a low loss, because the model expects a repetition to go on.
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
        [one] { $draws_count } random direction of the same length { $lowest }
       *[other] { $draws_count } random directions of the same length { $lowest } to { $highest }
    }
compared =
    { $compared ->
       *[more] does more for them than any of these
        [less] does less for them than any of these
        [between] does no more for them than random directions do
    }
usual =
    .layer = middle
links =
    .generate = How each token is chosen without a direction
    .residual = The stream that the direction is added to
    .probes = Clinic: what linear probes read
Steering =
    .direction = What is added to the stream: the `difference` of the mean streams of two inputs, the direction of a linear `probe` that tells their positions apart, or the embedding of a `token`.
    .toward = For `difference` and `probe`: the input that the direction leads to. It is read as the model reads its own input.
    .away = For `difference` and `probe`: the input that the direction leads away from.
    .token = For `token`: one token of the model, as the text that it stands for. A token with a space before it is another token than one without.
    .layer = The layer of the stack that writes, counted from 0, after which the direction is added. If it is left out, it is the one in the middle.
    .strength = How much of the direction is added: at 1 the vector is as long as the stream itself. The answer has nine other strengths, too.
    .seed = Where the random directions begin. The same seed gives the same ones.
    .draws = How many random directions of the same length are tried beside it.
    .max_new_tokens = The largest number of tokens of each text. If it is left out, it is 20.
SteeredText =
    .ended = Whether the model ended the text itself.
SteeringAnswer =
    .toward = The input that the direction leads to.
    .away = The input that it leads away from.
    .token = The token whose embedding is added.
    .right = With `probe`: the share of positions that it tells right, each left out of its fitting.
    .chance = With `probe`: the share of the input that has more positions.
    .layers = How many layers the stack has.
    .at = The place of this strength among those of the answer.
    .without = The place of strength 0.
    .stream_length = The mean length of the stream of the input there.
    .direction_length = The length of the direction before it is scaled.
    .wanted = The tokens whose probability is counted: those that occur toward it alone.
    .texts = What is written at each strength.
    .random_texts = What is written with the first random direction.
