# /complexity. Fields and conditions: app/experiments/complexity.py; facts:
# tests/app/words/complexity.py.
-answers = Operations, sequential steps and path length of attention, recurrence and convolution, and how their gradients depend on the distance
-one = 1
-share = 1/n
-table = table 1
-factor = 1.2
-ten = 10
-steps = 64 steps
-vanished = 1 %

-found_by = complexity, quadratic, big O, O(n^2), cost of attention, computational cost, FLOPs, runtime, memory cost, speed, path length, table 1, convolution, parallel, long context
claim = Attention passes its gradient on equally over any distance
look_for = { left } { right }
left =
    { $shown ->
        [sequential] On the left each line counts the steps that wait for the step before.
        [path_length] On the left each line counts the steps from the first position to the last.
        [time] On the left each line is the time of a layer on this machine.
       *[other] On the left each line counts the operations of a layer, by { -table }.
    }
right =
    { $right ->
        [growth] On the right, each cell is an RNN. A small change fades where the cell is blue and grows where it is orange. Larger inputs flatten tanh, and so the edge moves to a larger gain.
       *[other] { attention } { recurrent }
    }
attention =
    { $attention ->
       *[level] On the right, the line of attention is level near { -share }, because each of n positions gets an equal share. The shortcut beside it adds { -one }, to a position's own gradient alone.
        [uneven] On the right, the line of attention is not level at { -share }, because with inputs as large as these the softmax gives the positions unequal shares.
    }
recurrent =
    { $recurrent ->
       *[steep] Recurrent lines fall or climb with every step.
        [level] The line of an RNN of gain { -one } is level as well, because inputs as small as these leave tanh linear. The other recurrent lines fall or climb with every step.
    }
reading = Over the longest distance an LSTM keeps { kept } of a gradient, and attention { shared }.
kept =
    { $kept ->
        [vanished] less than { -vanished }
       *[left] { $gradient_by_distance_LSTM }
    }
shared =
    { $shared ->
        [vanished] less than { -vanished }
       *[left] { $gradient_by_distance_attention }
    }
asks = An RNN of { $d_model } units turns its state and multiplies it by { -factor } at each step, and then applies tanh. The standard deviation of its inputs is { $input_size }. How large is a gradient after { -steps }, beside its size at the start?
    .fades = Less than a tenth: it fades
    .same = The same within a factor of { -ten }
    .grows = More than ten times as large: it grows
    .tiny = tiny inputs
    .large = inputs of size { $input_size }
operations = One layer
    .description = Operations against the length, for each layer.
sequential = One layer
    .description = Steps that cannot run at once against the length, for each layer.
path_length = One layer
    .description = Steps from the first position to the last against the length, for each layer.
time = One layer
    .description = Seconds, measured on this machine against the length, for each layer.
growth = Gain and input size
    .description = Growth of a small change over { -steps } of an RNN, for each gain and size of the inputs.
gradient = What a gradient meets
    .description = Size of the gradient against the distance, for recurrence and attention.
Complexity =
    .lengths = The lengths n of the sequences. The time of `measure` is taken up to a length of 1024.
    .d_model = How many channels d each position has, a multiple of 4.
    .kernel = How many positions k a convolution reads at once.
    .window = How many positions r restricted attention sees.
    .input_size = The standard deviation of the inputs, which are the same for all networks.
