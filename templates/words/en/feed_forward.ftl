# /feed-forward. Fields and conditions: app/experiments/feed_forward.py; facts: tests/app/words/feed_forward.py.
-answers = What a layer’s feed-forward network does at one token: which neurons fire, what each contributes, and their sum
-zero = 0
-relu = ReLU, max(0, z)
-gelu = GELU, z Φ(z)
-gelu-tanh = GELU with its tanh approximation
-silu = SiLU, z / (1 + e⁻ᶻ)
-linear = x W₁

-found_by = feed-forward network, feedforward, FFN, MLP, multilayer perceptron, fully connected, dense layer, position-wise, neurons, hidden units, activation function, ReLU, expansion, pointwise
fires = Which neurons fire
    .description =
        Each dot is one of { $neurons } { $gated ->
           *[no] neurons
            [yes] gate neurons
        }. For { $token }, { $firing } of them ({ $firing_share }) { $firing ->
            [one] fires
           *[other] fire
        }: { $firing ->
            [one] its
           *[other] their
        } input to the activation function is above { -zero }. Neuron { $top_neurons_0_neuron } contributes most: a vector of norm { $top_neurons_0_length }.
    .more =
        The first matrix maps the token’s { $channel_length } numbers in the { $of_norm ->
            [no] residual stream
           *[yes] normalized residual stream
        } to the { $neurons } neurons. The activation function f is { $activation ->
           *[relu] { -relu }
            [gelu] { -gelu }
            [gelu_tanh] { -gelu-tanh }
            [silu] { -silu }
        }.{ $gated ->
           *[no] { "" }
            [yes] { " " }Its output is multiplied by the neuron’s entry of { -linear }.
        }
writes = What each neuron contributes
    .description =
        Each row is a vector of { $channel_length } numbers: a neuron’s activation times its row of the second matrix. The last row, the output, is the sum of the { top }{ $others ->
            [nowhere] { "" }
           *[inside] , { others }
            [last] { " " }and { others }
        }{ $bias ->
            [nowhere] { "" }
            [inside] , the bias
           *[last] { " " }and the bias
        }{ $edited ->
           *[no] { "" }
            [yes] { " " }and the effect of the intervention
        }, within a rounding error of { $largest_difference_value }.
    .more = The output has norm { $out_length }. Projected onto the sum of all neurons’ contributions, { $share_of_top } of it comes from the { top } shown.
top =
    { $top ->
        [one] { $top } neuron
       *[other] { $top } neurons
    }
others =
    { $rest ->
        [one] the other { $rest } neuron
       *[other] the other { $rest } neurons
    }
words = Which words each neuron promotes
    .description =
        { $words_of ->
           *[some] Each row has the { $rank_length } words whose logits a neuron raises most for { $token }. Neuron { $top_neurons_0_neuron } raises the logit of { $raised_words_0_0 } most, by { $raised_by }.
            [encoder] This encoder predicts no words: only the decoder uses its output. Choose the decoder to see words. { vectors }
            [none] This model predicts no words. { vectors }
        }
    .more =
        { $words_of ->
           *[some] Each neuron’s vector is multiplied by the unembedding matrix. This is not the model’s prediction, because norms and later layers may follow.
            [encoder] { "" }
            [none] { "" }
        }
vectors = The vectors are shown instead.
stream = What is added to the residual stream
    .description =
        The residual stream of { $token } has norm { $before_length }. { $output_normed ->
           *[no] The feed-forward network adds a vector of norm { $added_length }
            [yes] The feed-forward output, normalized from norm { $output_length } to { $added_length }, is added
        }; the sum has norm { $sum_length }.{ $after_sum ->
            [nothing] { "" }
           *[normed] { " " }Normalization changes this to { $normed_length }.
            [edited] { " " }The intervention changes this to { $edited_length }.
        }
    .more =
        { $reads_next ->
            [encoder] The result is the encoder’s output, the input of every cross-attention.
           *[answer] The result is the token’s last vector, from which the prediction is computed.
            [norm] Next comes the final norm.
            [attention] Next comes the self-attention of layer { $reader_layer }.
            [cross_attention] Next comes the cross-attention of layer { $reader_layer }.
            [row_attention] Next comes the attention between rows of layer { $reader_layer }.
        }
tokens = The same neurons at every token
    .description = Each row is a neuron, each column a token. The same weights apply to every token, and no token affects another.
    .more =
        { $elsewhere ->
            [nowhere] { "" }
            [alike] { also }.
           *[apart] { also }, the largest overlap. The smallest is { $farthest_share }, with { $farthest_token } (position { $farthest_position }).
        }
also =
    Of the { $firing ->
        [one] { $firing } neuron
       *[other] { $firing } neurons
    } that fire for { $token }, { $nearest_share } also fire for { $nearest_token } (position { $nearest_position })
usual =
    .layer = last
    .position = first
links =
    .stream = What each part adds to the residual stream
    .neuron = How neuron { $top_neurons_0_neuron } was computed
    .reader = What comes next: the attention of layer { $reader_layer }
    .memory = Feed-forward as memory
FeedForward =
    .stack = The stack whose network is shown. By default, the stack that makes the prediction.
    .layer = The layer, counted from 0. By default, the last.
    .position = The position of the token, counted from 0. By default, the first token after the start token.
    .top = How many neurons to list one by one, those with the largest contributions first.
Neuron =
    .argument = The input to the activation function.
    .activated = The output of the activation function.
    .post = The factor for the neuron’s row of W_2.
    .length = The norm of the neuron’s contribution.
FeedForwardAnswer =
    .layers = The number of layers of the stack.
    .tokens = The tokens of the stack.
    .reads = The activation that is the network’s input.
    .function = The formula of the activation function.
    .firing = How many neurons have a positive input to the activation function.
    .equation = How the output is added to the residual stream.
    .next_step = The next point of the residual stream; null at its end.
    .raised_words = The words whose logits each neuron raises most; null if the stack predicts no words.
    .share_of_top = The fraction of all neurons’ contribution that these neurons account for.
