# /recurrence. Fields and conditions: app/experiments/recurrence.py; facts:
# tests/app/words/recurrence.py.
-found_by = RNN, recurrent neural network, LSTM, GRU, long short-term memory, Elman, sequential computation, Hochreiter, BPTT, backpropagation through time, why Transformers are better, seq2seq, The Unreasonable Effectiveness of Recurrent Neural Networks, Understanding LSTM Networks
-answers = Encoder-decoders with RNN and LSTM cells, with Bahdanau's attention and without, beside a Transformer: accuracy by length, alignment, gradient by distance, and training with truncated back-propagation
-rnn = RNN
-lstm = LSTM
-rnn-attention = RNN with attention
-trained = 1 to 10 letters
-short-cut = 2 steps
-long-cut = 8 steps
-near = 1 %

claim =
    { $shown ->
        [gradient_initial] Before training a gradient fades at every step of recurrence, fades less with gates, and does not fade through attention
        [gradient_trained] Once trained, a recurrent network passes its gradient on
        [truncated] A gradient that is cut teaches less about letters that were read long before
        [writings] { claim.opening }
        [words] { claim.opening }
       *[other] { claim.opening }
    }
    .opening = Within the trained lengths, attention gets more letters right than a single vector
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
        [writings] Each row is a network, and each cell is a letter that it writes for your word. The colour is the probability of the letter, and a frame marks a wrong one.
        [truncated] Each line is an LSTM whose gradient was cut in training after the number of steps at its end. Letters farther to the right were read earlier.
    }
    .lengths = Five networks of similar size have learned to write words of { -trained } backwards. The shaded lengths are those that they have seen; to the right of them are longer words.
right =
    { $right ->
       *[alignment] Each row of a map is a step of writing, and shows where in the word the network looks.
        [gradient_trained] { right.curves } The dotted line separates the letters of the word from what the decoder has read.
        [gradient_initial] { right.curves } On a straight line downward the same share is lost at every step.
    }
    .curves = The curves show how strongly each token that was read moves the last letter.
reading =
    { $shown ->
        [gradient_initial] Before training each step back leaves { $factor_rnn } of the { -rnn }'s gradient, and { $factor_lstm } of the { -lstm }'s.
        [gradient_trained] After training each step back leaves { $factor_rnn_trained } of the { -rnn }'s gradient, and { $factor_lstm_trained } of the { -lstm }'s.
        [truncated] Of the letters that were read before the cut, { $behind_cut_2 } are right with a cut after { -short-cut }, and { $behind_cut_8 } with a cut after { -long-cut }.
        [writings] { $right_writings } of { $network_length } networks write « { $word } » backwards without a mistake.
        [words] Of words at the last length of the training the { -rnn } has { $words_rnn } right, and the { -rnn-attention } { $words_rnn_attention }.
       *[other] Of letters at the last length of the training the { -rnn } has { $letters_rnn } right, and the { -rnn-attention } { $letters_rnn_attention }.
    }
asks = A network reads a word letter by letter, keeps one vector, and then writes the word backwards from it. A second may look back at every letter before it writes the next one, and a third is a Transformer. All have seen words of { -trained }. Which of them writes most letters of words of { $length } letters right, in each of three trainings?
    .vector = One with a single vector
    .attention = One with Bahdanau’s attention
    .transformer = The Transformer
    .several = Several of them, within { -near }
    .length = { $length } letters
    .reason = Letters right, mean of { $training_length } trainings: { $shares }.
writings = What each network writes
    .description = RNN writes { $text_rnn }; LSTM writes { $text_lstm }; RNN + attention writes { $text_rnn_attention }; LSTM + attention writes { $text_lstm_attention }; Transformer writes { $text_transformer }.
letters = Letters right by length
    .description = Share of letters that each network writes right, by the length of the word.
words = Words right by length
    .description = Share of whole words that each network writes right, by the length of the word.
truncated = An LSTM whose gradient was cut
    .description = Share of right letters by the steps since they were read, for each truncation.
alignment = Where they look
    .description = Weights over the letters of { $word } at each step of writing it backwards.
gradient-trained = Gradient by distance, trained
    .description = Size of the gradient by distance, trained networks.
gradient-initial = Gradient by distance, before training
    .description = Size of the gradient by distance, initial networks.
Recurrence =
    .text = The word that the networks write backwards: 1 to 20 of the letters a to z.
    .length = How many letters the random words have whose gradients are measured.
    .training = Which of its three trainings, counted from 0, each network comes from that writes the word.
RecurrenceAnswer =
    .trained_length = How many letters the longest word of the training has.
