# /recurrence.
-found_by = RNN, recurrent neural network, LSTM, GRU, long short-term memory, Elman, sequential computation, Hochreiter, BPTT, backpropagation through time, why Transformers are better, seq2seq, The Unreasonable Effectiveness of Recurrent Neural Networks, Understanding LSTM Networks
