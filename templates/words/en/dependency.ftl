# /dependency. Fields and conditions: app/experiments/dependency.py; facts:
# tests/app/words/dependency.py.
-answers = How much of the residual stream each sub-layer contributed, at every depth, by norm placement
-low = 15%
-high = 35%
question = How much does the newest sub-layer contribute?
-found_by = dependency on the branch, Admin, share of the variance, residual branch, Liu

claim = The newest sub-layer contributes more with Post-LN
look_for = On the left, each row shows how much of the residual stream’s variance each sub-layer contributes. The last cell is the newest sub-layer’s. { rows } { lines }
rows =
    { $rows ->
       *[fade] Averaged over the sub-layers of each layer, this fraction falls from the first layer to the last with Pre-LN, but not with Post-LN.
        [compare] Compare how this last cell changes from row to row with Post-LN and with Pre-LN.
    }
lines =
    { $lines ->
       *[rise] On the right, the attention line rises: as tokens become similar, their values cancel less when they are averaged, so attention contributes more.
        [compare] On the right, each solid line is the newest sub-layer’s contribution, for one kind of sub-layer.
    }
reading =
    { $compared ->
       *[post] { supplied } { $dependency_all_post } { averaged } With Pre-LN, it contributes { $dependency_all_pre }.
        [pre] { supplied } { $dependency_all_pre } { averaged } With Post-LN, it contributes { $dependency_all_post }.
        [other] { supplied } { $dependency_all__placement_ } { averaged } With Post-LN, it contributes { $dependency_all_post }; with Pre-LN, { $dependency_all_pre }.
    }
supplied =
    In an untrained { $layers_count }-layer { $stack ->
       *[encoder] encoder
        [decoder] decoder
    } { norms }, the newest sub-layer contributes
averaged = of the residual stream’s variance, averaged over depth.
stack =
    { $stack ->
       *[encoder] An untrained encoder
        [decoder] An untrained decoder
    }
asks = { stack } { norms } has { layers } of width { $d_model }. What fraction of the residual stream’s variance does the newest sub-layer contribute, averaged over depth?
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
maps = Variance contributed by each sub-layer
    .description = Fraction of the residual stream’s variance contributed by each sub-layer, after each of { $sublayer_length } sub-layers: { $placements }.
newest = The newest sub-layer’s contribution
    .description = Fraction of the residual stream’s variance contributed by the newest sub-layer with { $placement_name }, by kind of sub-layer, and Admin’s ω.
Dependency =
    .layers = The number of layers, with two sub-layers each (three in a decoder).
    .d_model = The width of the residual stream, a multiple of 4.
    .seeds = How many times to repeat the experiment with new random weights. The default is 8, because four are too few to measure Admin’s factors.
