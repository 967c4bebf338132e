# /recurrence. Fields and conditions: app/experiments/recurrence.py; facts: tests/app/words/recurrence.py.
question =
    { $shown ->
        [gradient_initial] How fast do gradients fade before training?
        [gradient_trained] How fast do gradients fade after training?
        [truncated] What does truncated backpropagation lose?
        [writings] { question.opening }
        [words] { question.opening }
       *[other] { question.opening }
    }
    .opening = Does attention beat a single state vector?
-found_by = RNN, recurrent neural network, LSTM, GRU, long short-term memory, Elman, sequential computation, Hochreiter, BPTT, backpropagation through time, why Transformers are better, seq2seq, The Unreasonable Effectiveness of Recurrent Neural Networks, Understanding LSTM Networks
-answers = RNN and LSTM encoder-decoders, with and without Bahdanau’s attention, compared with a Transformer: accuracy by length, alignment, gradient by distance, and truncated backpropagation
-rnn = RNN
-lstm = LSTM
-rnn-attention = RNN with attention
-trained = 1 to 10 letters
-longest = 10 letters
-short-cut = 2 steps
-long-cut = 8 steps
-near = 1%

claim =
    { $shown ->
        [gradient_initial] Before training, recurrence shrinks gradients; attention does not
        [gradient_trained] After training, recurrent networks preserve gradients
        [truncated] Truncated gradients teach less about early letters
        [writings] { claim.opening }
        [words] { claim.opening }
       *[other] { claim.opening }
    }
    .opening = On training-length words, attention beats a single state vector
look_for =
    { $sides ->
       *[both] { left } { right }
        [left] { left }
        [right] { right }
    }
left =
    { $left ->
       *[letters] { left.lengths }
        [words] { left.lengths }
        [writings] On the left, each row is a network’s output for your word. A letter’s color is its probability; a frame marks a mistake.
        [truncated] On the left, each line is an LSTM whose gradient was cut off in training after the number of steps at the line’s end. Letters farther to the right were read earlier.
    }
    .lengths = Five networks of similar size learned to reverse words of { -trained } (the shaded area on the left).
right =
    { $right ->
       *[alignment] In each map on the right, a row shows the letters that the network attends to at one output step.
        [gradient_trained] { right.curves } The dotted line separates the word’s letters from the decoder’s inputs.
        [gradient_initial] { right.curves } A straight downward line means that the same fraction is lost at every step.
    }
    .curves = On the right, the curves show how strongly each input token affects the last output letter.
reading =
    { $shown ->
        [gradient_initial] Before training, each step back keeps { $factor_rnn } of the { -rnn }’s gradient and { $factor_lstm } of the { -lstm }’s.
        [gradient_trained] After training, each step back keeps { $factor_rnn_trained } of the { -rnn }’s gradient and { $factor_lstm_trained } of the { -lstm }’s.
        [truncated] Of the letters read before the cut, { $behind_cut_2 } are output correctly with a cut after { -short-cut } and { $behind_cut_8 } with a cut after { -long-cut }.
        [writings] { $right_writings } of { $network_length } networks reverse “{ $word }” without a mistake.
        [words] On words of the longest length seen in training ({ -longest }), the { -rnn } gets { $words_rnn } of the words right; the { -rnn-attention }, { $words_rnn_attention }.
       *[other] On words of the longest length seen in training ({ -longest }), the { -rnn } gets { $letters_rnn } of the letters right; the { -rnn-attention }, { $letters_rnn_attention }.
    }
asks = A network reads a word letter by letter into one vector, then outputs the word backwards. A second network can attend to every letter before each output; a third is a Transformer. All were trained on words of { -trained }. On words of { $length } letters, which gets the most letters right in all three training runs?
    .vector = One with a single state vector
    .attention = One with Bahdanau’s attention
    .transformer = The Transformer
    .several = Several of them, within { -near }
    .length = { $length } letters
    .reason = Fraction of correct letters, averaged over { $training_length } training runs: { $shares }.
writings = Output of each network
    .description = RNN: { $text_rnn }; LSTM: { $text_lstm }; RNN + attention: { $text_rnn_attention }; LSTM + attention: { $text_lstm_attention }; Transformer: { $text_transformer }.
letters = Correct letters by word length
    .description = Fraction of letters that each network gets right, by word length.
words = Correct words by word length
    .description = Fraction of whole words that each network gets right, by word length.
truncated = An LSTM with truncated gradients
    .description = Fraction of correct letters by the number of steps since they were read, for each truncation.
alignment = Where the networks attend
    .description = Weights over the letters of “{ $word }” at each output step.
gradient-trained = Gradient by distance, after training
    .description = Norm of the gradient by distance, trained networks.
gradient-initial = Gradient by distance, before training
    .description = Norm of the gradient by distance, untrained networks.
Recurrence =
    .text = The word to reverse: 1 to 20 of the letters a to z.
    .length = Length of the random words whose gradients are measured.
    .training = Which of its three training runs, counted from 0, each network that outputs the word comes from.
RecurrenceAnswer =
    .trained_length = Length of the longest word in training.
