# Terms, units and choices that several pages say. Formulas and names are terms: digits stand in no
# other message.
-root = √dₖ
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
