# /amplification. Fields and conditions: app/experiments/amplification.py; facts:
# tests/app/words/amplification.py.
-answers = How far a small change of all weights moves the output, by depth and placement of the norm
-post = Post-LN
-pre = Pre-LN
-admin = Admin
-the-same = the same small change
-two = 2
-twice-c = 2 C

-found_by = amplification, instability of training, unstable training, sensitivity, perturbation, Understanding the Difficulty of Training Transformers, divergence, deep Transformers, Liu
claim = The more each sub-layer contributes, the more a small change moves the output
look_for = { moved } Right, each line is divided by the sum of the shares that its sub-layers supply, its dependencies. { stripe }
moved =
    { $moved ->
       *[farther] Left, { -the-same } of the weights moves the output of { -post } farther than that of { -pre } or { -admin }.
        [nearer] Left, { -the-same } of the weights does not move the output of { -post } farther than those of { -pre } and { -admin } both.
    }
stripe =
    { $stripe ->
       *[inside] { -post }, { -pre } and { -admin } then lie in one grey stripe, whose upper edge is twice its lower one.
        [outside] If the quotient were one constant, { -post }, { -pre } and { -admin } would lie in the grey stripe, whose upper edge is twice its lower one. Here they do not.
    }
reading =
    { $compared ->
        [alone] { $placement_name }, { $deepest } sub-layers. { supplied }
       *[with_pre] After { $deepest } sub-layers the mean square change of the output of { $placement_name } is { $over_pre } times that of { -pre }. { supplied }
    }
supplied = At the moment it is added, a sub-layer makes up { $share } of the variance of the stream on average.
asks = All weights of a { -post } and of a { -pre } { $stack } are changed at random by { $noise_percent } % of their spread. Both are { $depth_asked } sub-layers deep and { $d_model } channels wide. Whose output moves farther?
    .pre = That of { -pre }, at least twice as far
    .neither = Neither by a factor of { -two }
    .post = That of { -post }, at least twice as far
    .stack = a decoder
    .noise = a change of { $noise_percent } %
change = How far the output moves
    .description = The output's mean square change against depth: { $placements }.
constant = Change over dependencies
    .description = Change over the sum of dependencies, C, and the stripe from C to { -twice-c }, against depth: { $placements }.
Amplification =
    .seeds = How many times the experiment is repeated with other draws. The numbers differ by factors from one draw of the weights to the next. If it is left out, it is { $recorded } where the trials are recorded, and { $usual } elsewhere.
    .depths = The numbers of sub-layers after which the change is measured.
    .noise = How much the weights are changed, in standard deviations of each matrix.
    .d_model = How many channels the residual stream has, a multiple of 4.
