# /complexity. Fields, conditions: app/experiments/complexity.py; facts: tests/app/words/complexity.py.
-answers = Operations, sequential steps and path length of attention, recurrence and convolution, and how their gradients depend on distance
-one = 1
-share = 1/n
-positions = 65
-factor = 1.2
-less = 0.8
-ten = 10
-steps = 64 steps
-vanished = 1%
-rnn-less = “RNN 0.8”

question = Do gradients fade with distance?
-found_by = complexity, quadratic, big O, O(n^2), cost of attention, computational cost, FLOPs, runtime, memory cost, speed, path length, table 1, convolution, parallel, long context
claim = With attention, gradients don’t fade with distance
look_for =
    { $shown ->
        [growth] On the right, each cell is an RNN; its gain is the factor by which its matrix stretches the state at each step. A small change fades in the blue cells and grows in the orange ones. Larger inputs saturate tanh, so the boundary moves to a larger gain.
       *[other] { attention } { recurrent }
    }
attention =
    { $attention ->
       *[level] On the right, attention’s line is flat near { -share }: each of n = { -positions } positions gets an equal share of the gradient.
        [uneven] On the right, attention’s line is not flat at { -share }: with inputs this large, the softmax weights are unequal.
    }
recurrent =
    { $recurrent ->
       *[steep] { gain } { strong }
        [level] { gain } With gain { -one }, the line is flat as well, because with inputs this small tanh is nearly linear. { strong }
    }
gain = An RNN’s gain is the factor by which its matrix stretches the state at each step ({ -rnn-less } has gain { -less }).
strong =
    { $strong ->
        [climbs] With gain { -factor }, the gradient grows with distance.
        [falls] With inputs this large, gradients fade even with gain { -factor }.
       *[turns] With gain { -factor }, the gradient grows at first, until the state is so large that tanh saturates.
    }
reading = In an untrained LSTM, the gradient keeps fading with distance: after { -steps }, { kept } is left.
kept =
    { $kept ->
        [vanished] less than { -vanished }
       *[left] { $gradient_by_distance_LSTM }
    }
asks = At each step, an RNN with { $d_model } units rotates its state, multiplies it by { -factor }, adds an input and applies tanh. The inputs have standard deviation { $input_size }. How large is the gradient after { -steps }, compared with the start?
    .fades = Less than a tenth: it vanishes
    .same = About the same, within a factor of { -ten }
    .grows = More than ten times as large: it explodes
    .tiny = tiny inputs
    .large = inputs with a standard deviation of { $input_size }
operations = Operations of one layer
    .description = Operations by length, for each type of layer.
sequential = Sequential steps of one layer
    .description = Sequential steps by length, for each type of layer.
path_length = Steps between the first and last positions
    .description = Steps from the first position to the last by length, for each type of layer.
time = Time of one layer
    .description = Seconds on this machine by length, for each type of layer.
growth = Gain and size of the inputs
    .description = Growth of a small change over { -steps } of an RNN, by gain and standard deviation of the inputs.
gradient = Gradient by distance
    .description = Norm of the gradient by distance, in recurrent networks and with attention.
Complexity =
    .lengths = The sequence lengths n. `measure` times layers up to a length of 1024.
    .d_model = The width d of each position, a multiple of 4.
    .kernel = The kernel width k of a convolution.
    .window = How many neighbors r a position sees in restricted self-attention.
    .input_size = The standard deviation of the inputs; the same for all networks.
