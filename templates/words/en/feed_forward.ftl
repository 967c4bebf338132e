# /feed-forward. Fields and conditions: app/experiments/feed_forward.py; facts: tests/app/words/feed_forward.py.
-answers = What the feed-forward network of a layer does at one token: which neurons fire, what each writes, and their sum
-zero = 0
-relu = ReLU, max(0, x)
-gelu = GELU, x Φ(x)
-gelu-tanh = GELU with a hyperbolic tangent
-silu = SiLU, x / (1 + e⁻ˣ)

-found_by = feed-forward network, feedforward, FFN, MLP, multilayer perceptron, fully connected, dense layer, position-wise, neurons, hidden units, activation function, ReLU, expansion, pointwise
fires = Which neurons fire
    .description =
        Each dot is one of the { $neurons } neurons{ $gated ->
           *[no] { "" }
            [yes] { " " }of its gate
        }: { $firing } of them ({ $firing_share }) fire for { $token }, which means that their argument is above { -zero }. Neuron { $top_neurons_0_neuron } writes most, a vector of length { $top_neurons_0_length }.
    .more =
        The first matrix turns the { $channel_length } numbers of { $of_norm ->
            [no] the stream
           *[yes] the normed stream
        } into { $neurons } arguments. The activation function is { $activation ->
           *[relu] { -relu }
            [gelu] { -gelu }
            [gelu_tanh] { -gelu-tanh }
            [silu] { -silu }
        }.{ $gated ->
           *[no] { "" }
            [yes] { " " }Each value is multiplied by a second number of the neuron.
        }
writes = What each neuron writes
    .description =
        Each row is a vector of { $channel_length } numbers: a neuron’s activation times its row of the second matrix. The sum of the { top }{ $others ->
            [nowhere] { "" }
           *[inside] , { others }
            [last] { " " }and { others }
        }{ $bias ->
            [nowhere] { "" }
            [inside] , the bias
           *[last] { " " }and the bias
        }{ $edited ->
           *[no] { "" }
            [yes] { " " }and what the edits added
        } is the last row, the output, up to a rounding error of { $largest_difference_value }.
    .more = The output has length { $out_length }. Along the direction of all that the neurons write, the { top } shown give { $share_of_top } of it.
top =
    { $top ->
        [one] { $top } neuron
       *[other] { $top } neurons
    }
others =
    { $rest ->
        [one] what the other { $rest } neuron writes
       *[other] what the other { $rest } neurons write
    }
words = Which words each neuron raises
    .description =
        { $words_of ->
           *[some] Each row has the { $rank_length } words whose logits a neuron raises most for { $token }. Neuron { $top_neurons_0_neuron } raises { $raised_words_0_0 } most, by { $raised_by }.
            [encoder] No words are read from an encoder whose output only the decoder reads: choose the decoder to see them. { vectors }
            [none] This model predicts no words. { vectors }
        }
    .more =
        { $words_of ->
           *[some] The vector is multiplied by the unembedding. This is a hint and not what the model says, because norms and other layers may follow.
            [encoder] { "" }
            [none] { "" }
        }
vectors = The vectors are shown instead.
stream = What is added to the stream
    .description =
        The stream of { $token } has length { $before_length }, { $output_normed ->
           *[no] the feed-forward adds a vector of length { $added_length }
            [yes] a norm brings the output from length { $output_length } to { $added_length }, this is added
        }, and the sum has length { $sum_length }.{ $after_sum ->
            [nothing] { "" }
           *[normed] { " " }The norm after it makes it a vector of length { $normed_length }.
            [edited] { " " }An edit makes it a vector of length { $edited_length }.
        }
    .more =
        Nothing is overwritten. { $reads_next ->
            [encoder] This is the output of the encoder, which every cross-attention reads.
           *[answer] This is the last vector of the token, from which the answer is read.
            [norm] The final norm of the stack comes next.
            [attention] The next to read the stream is the self-attention of layer { $reader_layer }.
            [cross_attention] The next to read the stream is the cross-attention of layer { $reader_layer }.
            [row_attention] The next to read the stream is the attention between rows of layer { $reader_layer }.
        }
tokens = The same neurons at every token
    .description = Each row is a neuron and each column a token. The same weights are applied to every token, and no token sees another.
    .more =
        { $elsewhere ->
            [nowhere] { "" }
            [alike] { also }.
           *[apart] { also }, which is the largest share. The smallest share is { $farthest_share }, for { $farthest_token } (position { $farthest_position }).
        }
also =
    Of the { $firing ->
        [one] { $firing } neuron
       *[other] { $firing } neurons
    } that fire for { $token }, { $nearest_share } fire for { $nearest_token } (position { $nearest_position }) too
usual =
    .layer = last
    .position = first
links =
    .stream = What every part writes to the stream
    .neuron = How neuron { $top_neurons_0_neuron } was computed
    .reader = The attention of layer { $reader_layer }, which reads it
    .memory = Clinic: the feed-forward as memory
FeedForward =
    .stack = The stack whose network is read. If it is left out, it is the stack that predicts.
    .layer = The layer, counted from 0. If it is left out, it is the last.
    .position = The position of the token, counted from 0. If it is left out, it is the first token after the start sign.
    .top = How many neurons are listed one by one, those that write the longest vectors first.
Neuron =
    .argument = The number to which the activation function is applied.
    .activated = The value of the activation function.
    .post = The number by which the neuron's row of W_2 is multiplied.
    .length = The length of the vector that the neuron writes.
FeedForwardAnswer =
    .layers = How many layers the stack has.
    .tokens = The tokens of the stack.
    .reads = The activation that the network reads.
    .function = The formula of the activation function.
    .firing = How many neurons have an argument above 0.
    .equation = How the output joins the stream.
    .next_step = The next point of the stream; null at its end.
    .raised_words = The words whose logits each neuron raises most; null where the stack predicts no words.
    .share_of_top = The share of what all neurons write that these neurons account for.
