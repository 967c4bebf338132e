# /journey. Fields and conditions: app/experiments/journey.py; facts: tests/app/words/journey.py.
-zero = 0
-one = 1
-end = </s>

-found_by = how a Transformer works, how does a language model work, large language model, LLM, step by step, walkthrough, tour, introduction, beginner, tutorial, explained, visualisation, animation, forward pass, tokenizer, tokenisation, word embedding, word vector, embedding table, lookup
-answers = One token on its way from the text to the predicted word, step by step, with the numbers of each step
text = The text becomes tokens
    .description = A network computes with numbers, so the text is cut into { $text_tokens } tokens, and each token has a number in a vocabulary of { $text_vocabulary }.
    .more = Follow { $text_token }, which has the number { $text_id }.
patches = The image becomes patches
    .description = A Transformer reads a sequence, so the image is cut into { $patch_count } patches, and the token [CLS] is put before them to gather the answer.
    .more = Follow the patch { $patches_token } (its row and column), which is framed.
embedding = A { unit } becomes a vector
    .description =
        { $patches ->
           *[no] The token’s number picks a learned vector of { $embedding_d_model } numbers
            [yes] A learned matrix turns the patch’s pixels into { $embedding_d_model } numbers
        }{ $blank ->
           *[no] { "" }
            [yes] , which is the same for every blank
        }, and { $placed ->
           *[yes] a second vector for its position is added
            [no] nothing is added for its position: only attention knows of order{ $relative ->
                [no] { "" }
               *[yes] { " " }(positions: { $embedding_relative })
            }
        }.
    .more =
        { $placed ->
           *[yes] The first has length { $embedding_token }, the second { $embedding_position } and their sum { $embedding_sum }.
            [no] The vector has length { $embedding_sum }.
        }
scores = Which other { units } matter here?
    .description = A vector alone knows nothing of the { units } around it, so the query of the { unit } is multiplied with the keys of all { $scores_keys } positions that it may look at.
    .more = In head { $scores_head } of layer { $scores_layer } the largest score is { $scores_top_score }, with { $scores_top }, and the smallest { $scores_least_score }, with { $scores_least }.
weights = Scores become shares
    .description = The softmax turns the scores into weights between { -zero } and { -one }, whose sum is { $weights_sum }: a larger weight for one { unit } leaves less for the others.
    .more =
        { $itself ->
            [yes] The { unit } looks most at itself, with { $weights_own_weight }.
           *[no] The largest weight, { $weights_top_weight }, goes to { $weights_top }, and the { unit } itself gets { $weights_own_weight }.
        }
values = What the shares are for
    .description = The value of each { unit }, a vector of { $values_d_head } numbers, is multiplied by its weight, and the sum of these rows is what the head has found.
    .more =
        The longest row, { $values_top_length }, comes from { $values_top }{ $although ->
           *[no] { "" }
            [yes] , although { $values_heaviest } has the largest weight
        }; the sum has length { $values_length }.
add = Nothing is overwritten
    .description =
        What { $add_heads ->
            [one] the head has
           *[other] the { $add_heads } heads have
        } found passes through a learned matrix and is added to the vector that the { unit } had{ $added ->
            [normed] , and a norm changes the length of the sum from { $add_sum } to { $add_normed }.
            [edited] . The sum has length { $add_sum }, and an edit makes it a vector of length { $add_edited }.
           *[plain] , whose length goes from { $add_before } to { $add_sum }.
        }
    .more = The cosine between the vector before and after is { $add_cosine }; { -one } would be the same direction.
feed_forward = Then each token works alone
    .description = The feed-forward looks at one { unit } at a time, without the others: of its { $feed_forward_neurons } neurons, { $feed_forward_firing } are above { -zero } here, which is called firing.
    .more = The strongest is neuron { $feed_forward_neuron } with { $feed_forward_strongest }, and what all of them add to the vector has length { $feed_forward_wrote }.
output = What the decoder will see
    .description = After { $output_layers } layers each of the { $output_tokens } tokens has a vector that was made from the whole text, and these rows are all that the decoder sees of it.
    .more = The cosine between the vector of the followed token here and its embedding is { $output_cosine }.
decoder_input = The second text begins
    .description = The decoder writes one token at a time and reads what it has written so far: here the first { $decoder_input_read } of { $decoder_input_tokens } tokens, up to { $decoder_input_last }.
    .more = The tokens after it are hidden, because in training the decoder could otherwise copy the answer.
masked = Looking back, never ahead
    .description = A mask hides { $masked_hidden } of the { $masked_cells } cells before the softmax, so that no token reads what it has to predict.
    .more = In head { $masked_head } of layer { $masked_layer } the token { $masked_query } looks most at { $masked_top }, with { $masked_top_weight } of its weight.
cross = Where the two texts meet
    .description = The query comes from { $cross_query }, and the keys and values come from the encoder’s output: so the decoder reads the source when it predicts the next token.
    .more = Head { $cross_head } of layer { $cross_layer } gives { $cross_token } { $cross_weight } of its weight; averaged over the heads it gets { $cross_mean_weight }.
cls = [CLS] gathers the answer
    .description = In the last layer [CLS] takes from the patches what the model uses to name the digit.
    .more =
        Head { $cls_head } of layer { $cls_layer } gives { $cls_weight } of its weight to the followed patch, { $most_read ->
           *[yes] more than to any other
            [no] and most, { $cls_top_weight }, to { $cls_top }
        }.
stream = The answer takes shape
    .description =
        Every sub-layer adds to the vector, and after each of them a first guess can be read from it: it is { $leads ->
            [yes] { $stream_word } at all { $stream_points } steps
           *[no] { $stream_first_guess } at first, and { $stream_word } from step { $stream_from } of { $stream_points } onwards
        }.
    .more = The probability of { $stream_word } goes from { $stream_first } to { $stream_last }.
logits =
    { $patches ->
       *[no] From a vector to a token
        [yes] From a vector to a digit
    }
    .description =
        { $patches ->
           *[no] The last vector gives a logit for each of the { $logits_vocabulary } tokens
            [yes] The last vector of [CLS] gives a logit for each of { $logits_vocabulary } digits
        }, and the softmax turns all of them{ $divided ->
           *[no] { "" }
            [yes] , each divided by the temperature { $logits_temperature },
        } into probabilities.
    .more = { $logits_word } has the largest logit, { $logits_logit }, and the probability { $logits_probability }; { $logits_second } is second with { $logits_second_probability }.
fed_back = The token is fed back
    .description =
        { $follows ->
           *[no] { $fed_back_word } is put after the tokens that were read
            [yes] The text that was given goes on with { $fed_back_follows }, which is read next. Without it the model would read { $fed_back_word }
        }, and everything is computed again for { $continues ->
           *[no] the next token, until { -end } ends the text
            [yes] the token after it
        }.
    .more =
        { $continues ->
           *[no] On the right are the probabilities of the { $fed_back_known } tokens of this text; their product is { $fed_back_product }.
            [yes] The right bars say how probable each known token was when it had to be predicted: at { $fed_back_first_guesses } of { $fed_back_known } places it had the largest probability.
        }
unit =
    { $patches ->
       *[no] token
        [yes] patch
    }
units =
    { $patches ->
       *[no] tokens
        [yes] patches
    }
usual =
    .token = proposed
links =
    .overview = Overview: the whole model
    .attention = Attention: every head
    .values = Attention: what the weights are used for
    .residual = Residual stream: every step
    .feed_forward = Feed-forward: what every neuron writes
    .masks = Masks: what may be read
    .generate = Generate text: every token
    .images = Images: every head
Journey =
    .token = The position of the token that is followed, counted from 0. If it is left out, an interesting token is chosen; if it is too large, the last token is.
    .temperature = T of the last steps, where the next word is chosen: the probabilities are softmax(logits / T). At 1 they are the model’s.
Taken =
    .column = The activation whose row, that of `token`, comes to this step: the row of the tensor `columns`.
JourneyAnswer =
    .followed = The position of the token that is followed.
    .read_at = The position at which the predicted word is read.
    .layer = The layer of the first stack that is shown, counted from 0.
    .points = The points of the stream that predicts the word, each with its guess.
    .expected = The token that comes next at each position.
Spoken =
    .explained = The sentences as HTML, with a tip at each term that no step before has.
    .more = What the page of the link shows, in a sentence.
    .whole = The link as HTML.
JourneyWords =
    .choices = What each control offers, by its name.
