# What drawings say of tokens, and the line under a drawing or a figure. See app/drawings and
# app/figures/provenance.py.
guess =
    { $about ->
       *[only] The model predicts
        [least] The model was least confident about
        [given] The model least expected
    } “{ $token }” ({ $percent }%); { $about ->
       *[only] its second choice was
        [least] its second choice there was
        [given] the most likely other token there was
    } “{ $other }” ({ $other_percent }%).
chances = { $token }: { $chance }. Most likely other token, { $other }: { $other_chance }.
sum = { $count } parameters = { $terms }
part = { $part }: { $name }, { $shape }
parts = { $first } to { $last }: { $name }, each { $shape }
keys-of = { $part }: the keys
weights-of = { $part }, head { $head }, query { $query }
hypothesis =
    { $words }: { $score }, { $fate ->
       *[kept] kept, rank { $rank }
        [dropped] dropped
    }{ $ends ->
       *[no] { "" }
        [before] , has ended
        [here] , ends here
    }; ln p of this token { $log_probability }
beams = Beam search with { $beams } beams: { $found }
weights = { $model } (weights sha256 { $digest })
input = { $name } “{ $value }”
edited = edited: { $edits }
seed = seed { $seed }
