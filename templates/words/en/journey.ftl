# /journey. Fields and conditions: app/experiments/journey.py; facts: tests/app/words/journey.py.
-zero = 0
-one = 1
-end = </s>

-found_by = how a Transformer works, how does a language model work, large language model, LLM, step by step, walkthrough, tour, introduction, beginner, tutorial, explained, visualization, animation, forward pass, tokenizer, tokenization, word embedding, word vector, embedding table, lookup
-answers = One token, step by step, from the input text to the predicted word, with the numbers of each step
text = Text becomes tokens
    .description =
        A network computes with numbers. So the text is first split into tokens (here { $text_tokens }, counting any marks such as { -end }), and each token is replaced by its ID in a vocabulary of { $text_vocabulary } tokens.
    .more = Follow { $text_token }, whose ID is { $text_id }.
patches = An image becomes patches
    .description = A Transformer needs a sequence, so the image is cut into { $patch_count } patches. An extra token, [CLS], will collect the information for the prediction.
    .more = Follow the framed patch { $patches_token } (row, column).
embedding = A { unit } becomes a vector
    .description =
        { $patches ->
           *[no] The token’s ID selects a learned vector of { $embedding_d_model } numbers
            [yes] A learned matrix turns the patch’s pixels into a vector of { $embedding_d_model } numbers
        }{ $blank ->
           *[no] { "" }
            [yes] , the same one for every blank
        }. { $placed ->
           *[yes] A second vector, for its position, is added.
            [no] No position vector is added; position enters only through attention{ $relative ->
                [no] { "" }
               *[yes] { " " }({ $embedding_relative })
            }.
        }
    .more =
        { $placed ->
           *[yes] Norms: { unit } vector { $embedding_token }, position vector { $embedding_position }, sum { $embedding_sum }.
            [no] The norm of this vector is { $embedding_sum }.
        }
scores = Which other { units } matter here?
    .description =
        Attention lets the { unit } gather information from the others. { $scores_keys ->
            [one] The dot product of its query with the one unmasked key gives a score.
           *[other] The dot products of its query with all { $scores_keys } unmasked keys are its scores.
        }
    .more = Layer { $scores_layer }, head { $scores_head }: the largest score is { $scores_top_score }, for { $scores_top }; the smallest is { $scores_least_score }, for { $scores_least }.
weights = Scores become weights
    .description = The softmax turns the scores into weights between { -zero } and { -one }. They sum to { $weights_sum }, so more weight for one { unit } leaves less for the others.
    .more =
        { $itself ->
            [yes] The { unit } attends most to itself ({ $weights_own_weight }).
           *[no] The largest weight, { $weights_top_weight }, goes to { $weights_top }; the { unit } itself gets { $weights_own_weight }.
        }
values = The weights combine the values
    .description = Each { unit }’s value vector ({ $values_d_head } numbers) is scaled by its weight. The sum of these vectors is the head’s output.
    .more =
        The largest contribution (norm { $values_top_length }) comes from { $values_top }{ $although ->
           *[no] { "" }
            [yes] , although { $values_heaviest } has the largest weight
        }. The sum has norm { $values_length }.
add = The result is added; nothing is overwritten
    .description =
        { $add_heads ->
            [one] A learned matrix transforms the output of the head
           *[other] A learned matrix combines the outputs of the { $add_heads } heads
        }, and the result is added to the { unit }’s vector. { $added ->
            [normed] The sum has norm { $add_sum }; after normalization, { $add_normed }.
            [edited] The sum has norm { $add_sum }; after the intervention, { $add_edited }.
           *[plain] The vector’s norm goes from { $add_before } to { $add_sum }.
        }
    .more = The cosine similarity of the vectors before and after is { $add_cosine } (for the same direction, it is { -one }).
feed_forward = The feed-forward network processes each { unit } separately
    .description = The network has { $feed_forward_neurons } neurons. For this { unit }, { $feed_forward_firing } of them fire: their activation is above { -zero }.
    .more = Neuron { $feed_forward_neuron } has the largest activation, { $feed_forward_strongest }. Together, the neurons add a vector of norm { $feed_forward_wrote }.
output = The decoder receives the encoder’s output
    .description = After { $output_layers ->
            [one] { $output_layers } layer
           *[other] { $output_layers } layers
        }, each of the { $output_tokens } source tokens has a vector that depends on the whole source. The decoder knows the source only through these vectors.
    .more = For the token you follow, the cosine similarity of this vector and its embedding is { $output_cosine }.
decoder_input = The decoder generates one token at a time
    .description = The decoder’s input is the text so far: here the first { $decoder_input_read } of { $decoder_input_tokens } tokens, up to { $decoder_input_last }.
    .more = Later tokens are hidden. Otherwise, the decoder could simply copy them during training.
masked = A mask hides later tokens
    .description = Before the softmax, { $masked_hidden } of the { $masked_cells } scores are masked, so no token can attend to a later one.
    .more = Layer { $masked_layer }, head { $masked_head }: { $masked_query } attends most to { $masked_top } ({ $masked_top_weight }).
cross = Cross-attention connects the two texts
    .description = The query comes from { $cross_query }, but keys and values come from the encoder’s output. This is how the decoder uses the source.
    .more = Layer { $cross_layer }, head { $cross_head } gives { $cross_token } a weight of { $cross_weight }; averaged over the heads, it is { $cross_mean_weight }.
cls = [CLS] collects information from the patches
    .description = In the last layer, [CLS] attends to the patches. The digit is predicted from its vector.
    .more =
        Layer { $cls_layer }, head { $cls_head } gives the followed patch { $cls_weight } of its weight, { $most_read ->
           *[yes] more than any other
            [no] but attends most to { $cls_top } ({ $cls_top_weight })
        }.
stream = The prediction takes shape
    .description =
        Every sub-layer adds to the vector. Decoded after each step, the vector predicts { $leads ->
            [yes] { $stream_word } at all { $stream_points } steps
           *[no] { $stream_first_guess } at first, and { $stream_word } from step { $stream_from } of { $stream_points } on
        }.
    .more = From the first step to the last, the probability of { $stream_word } goes from { $stream_first } to { $stream_last }.
logits =
    { $patches ->
       *[no] From vector to token
        [yes] From vector to digit
    }
    .description =
        The last vector { $patches ->
           *[no] gives a logit for each of the { $logits_vocabulary } tokens
            [yes] of [CLS] gives a logit for each of { $logits_vocabulary } digits
        }. The softmax turns all logits{ $divided ->
           *[no] { "" }
            [yes] , divided by the temperature { $logits_temperature },
        } into probabilities.
    .more = { $logits_word } has the largest logit, { $logits_logit }, and a probability of { $logits_probability }. Second is { $logits_second }, with { $logits_second_probability }.
fed_back = The next token becomes input
    .description =
        { $follows ->
           *[no] { $fed_back_word } is appended to the input
            [yes] The given text continues with { $fed_back_follows } (the model itself would choose { $fed_back_word })
        }, and everything is computed again for { $continues ->
           *[no] the next token, until { -end } ends the text
            [yes] the token after it
        }.
    .more =
        { $continues ->
           *[no] The bars on the right show the probabilities of the { $fed_back_known } tokens of this text. Their product is { $fed_back_product }.
            [yes] The bars on the right show the probability of each known token. The model ranks it first at { $fed_back_first_guesses } of { $fed_back_known } positions.
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
    .token = suggested
links =
    .overview = Overview: the whole model
    .attention = Attention: every head
    .values = Attention: from weights to output
    .residual = Residual stream: every step
    .feed_forward = Feed-forward: every neuron
    .masks = Masks: which tokens are hidden
    .generate = Generate text: every token
    .images = Images: every head
Journey =
    .token = Position of the token to follow, counted from 0. By default, an interesting token is chosen; a position beyond the end means the last token.
    .temperature = The temperature T of the last steps, where the next word is chosen: softmax(logits / T). T = 1 gives the model’s own probabilities.
Taken =
    .column = The activation that leads to this step: row `token` of the tensor `columns`.
JourneyAnswer =
    .followed = Position of the followed token.
    .read_at = Position from which the next word is predicted.
    .layer = The layer of the first stack that is shown, counted from 0.
    .points = The points of the residual stream from which the word is predicted, each with its best guess.
    .expected = The next token at each position.
Spoken =
    .explained = The sentences as HTML; each term is explained at its first use.
    .more = What the linked page shows.
    .whole = The link as HTML.
JourneyWords =
    .choices = The options of each control, by name.
