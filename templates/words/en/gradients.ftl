# /gradients.
-found_by = gradient, vanishing gradient, exploding gradient, gradient flow, backpropagation, back-propagation, backprop, chain rule, derivative, gradient norm, gradient clipping, deep networks, Learning Deep Transformer Models
