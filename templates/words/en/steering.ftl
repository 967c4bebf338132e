# /steering. Fields and conditions: app/experiments/steering.py; facts: tests/app/words/steering.py.
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
