# Terms, units and choices that several pages say. Formulas and names are terms: digits stand in no
# other message.
-root = √dₖ
-post-ln = Post-LN
-pre-ln = Pre-LN
-b2t = B2T
components =
    { $d_head_count ->
        [one] { $d_head_count } component
       *[other] { $d_head_count } components
    }
seeds =
    { $seeds_count ->
        [one] { $seeds_count } seed
       *[other] { $seeds_count } seeds
    }
stack =
    { $stack ->
       *[encoder] encoder
        [decoder] decoder
    }
stack_of_width =
    { $stack ->
       *[encoder] an encoder of width { $d_model }
        [decoder] a decoder of width { $d_model }
    }
norms =
    { $normed ->
       *[yes] with { $placement_name }
        [no] without norms
    }
