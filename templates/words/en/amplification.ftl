# /amplification. Fields and conditions: app/experiments/amplification.py; facts:
# tests/app/words/amplification.py.
-answers = How far a small change of all weights moves the output, by depth and norm placement
-post = Post-LN
-pre = Pre-LN
-admin = Admin
-the-same = the same small weight change
-two = 2
-twice-c = 2 C

question = How far does a small weight change move the output?
-found_by = amplification, instability of training, unstable training, sensitivity, perturbation, Understanding the Difficulty of Training Transformers, divergence, deep Transformers, Liu
claim = Larger sub-layer contributions amplify small weight changes
look_for = { moved } { stripe }
moved =
    { $moved ->
       *[farther] On the left, { -the-same } moves the { -post } output farther than the { -pre } or { -admin } output.
        [nearer] On the left, { -the-same } does not move the { -post } output farther than both the { -pre } and { -admin } outputs.
    }
stripe =
    { $stripe ->
       *[inside] On the right, the mean values of C for { -post }, { -pre } and { -admin } agree within a factor of two.
        [outside] On the right, the mean values of C for { -post }, { -pre } and { -admin } do not agree within a factor of two at this setting.
    }
reading =
    { $compared ->
        [alone] { supplied }
       *[with_pre] After { $deepest } sub-layers, the output’s mean squared change is { $over_pre } times as large with { $placement_name } as with { -pre }.
    }
supplied = With { $placement_name }, the newest sub-layer contributes { $share } of the residual stream’s variance, averaged over depth.
asks = All weights of a { -post } and a { -pre } { $stack } are changed at random by { $noise_percent }% of their standard deviation. Both have { $depth_asked } sub-layers of width { $d_model }. Whose output moves farther?
    .pre = { -pre }, at least twice as far
    .neither = Neither, within a factor of { -two }
    .post = { -post }, at least twice as far
    .stack = a decoder
    .noise = a change of { $noise_percent }%
change = How far the output moves
    .description = Mean squared change of the output by depth: { $placements }.
constant = Change divided by the sum of contributions
    .description = Ratio C of change to sum of contributions, by depth, with the band from C to { -twice-c }: { $placements }.
Amplification =
    .seeds = How many times to repeat the experiment with new random weights, because results can differ more than tenfold. By default, { $recorded } where results are stored, else { $usual }.
    .depths = The numbers of sub-layers after which to measure the change.
    .noise = How much to change the weights, in standard deviations of each matrix.
    .d_model = The width of the residual stream, a multiple of 4.
