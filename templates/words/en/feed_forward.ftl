# /feed-forward.
-found_by = feed-forward network, feedforward, FFN, MLP, multilayer perceptron, fully connected, dense layer, position-wise, neurons, hidden units, activation function, ReLU, expansion, pointwise
