# /dependency. Fields and conditions: app/experiments/dependency.py; facts:
# tests/app/words/dependency.py.
-answers = How much of the stream each sub-layer has written, at every depth, by placement of the norm
-low = 15 %
-high = 35 %
-found_by = dependency on the branch, Admin, share of the variance, residual branch, Liu

claim = The newest sub-layer supplies more of a Post-LN stream than of a Pre-LN stream
look_for = Left, each row is the stream after one sub-layer, and each cell is the share of its variance that one sub-layer has written. The last cell of a row is the newest sub-layer’s. { rows } { lines }
rows =
    { $rows ->
       *[fade] Down the rows, it stays bright under Post-LN and fades under Pre-LN.
        [compare] Down the rows, compare it under Post-LN and under Pre-LN.
    }
lines =
    { $lines ->
       *[rise] Right, the line of attention rises: the tokens become alike, and the average of like vectors is not shorter than they are.
        [compare] Right, each kind of sub-layer has a line for the share of the newest.
    }
reading =
    { $compared ->
       *[post] { supplied } { $dependency_all_post } { of-a-stack } with Post-LN and { $dependency_all_pre } with Pre-LN.
        [pre] { supplied } { $dependency_all_pre } { of-a-stack } with Pre-LN and { $dependency_all_post } with Post-LN.
        [other] { supplied } { $dependency_all__placement_ } { of-a-stack } with { $placement_name }. With Post-LN it is { $dependency_all_post }, and with Pre-LN { $dependency_all_pre }.
    }
supplied = On average over all sub-layers, the newest one supplies
of-a-stack = of the variance of the stream of { stack }
stack =
    { $stack ->
       *[encoder] an encoder
        [decoder] a decoder
    }
asks = Nothing is trained yet in the { layers } of { stack } of width { $d_model } { norms }. The sub-layers write into one stream, one after another. How much of the variance of the stream comes from the sub-layer that has just written, in the mean over all sub-layers?
    .less = Less than { -low }
    .between = { -low } to { -high }
    .more = More than { -high }
    .pre = Pre-LN
    .decoder = a decoder
    .none = no norm
layers =
    { $layers_count ->
        [one] { $layers_count } layer
       *[other] { $layers_count } layers
    }
norms =
    { $norms ->
       *[some] with { $placement_name }
        [none] without norms
    }
maps = Who wrote the stream
    .description = Share of the stream that each sub-layer wrote, after each of { $sublayer_length }: { $placements }.
newest = What each sub-layer supplies when it is added
    .description = Share of the stream that the newest sub-layer of { $placement_name } has made, by kind of sub-layer, and Admin's ω.
Dependency =
    .layers = How many layers the stack has, each of two sub-layers (three in a decoder).
    .d_model = How many channels the residual stream has, a multiple of 4.
    .seeds = How many times the experiment is repeated with other draws. Four do not decide how large the factors of Admin are, so 8 is the default here.
