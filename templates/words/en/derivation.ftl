# A number and where it comes from. See app/site/derivation.py, app/site/trail.py and
# app/captions/plain_names.py.
layer = { $stack } layer { $layer }
of-token = of { $token }
number-of = { $name } of { $token }
cell = { $query } → { $key } { $name }
after = { $name } of { $word } after { $token }
marked =
    The marker is on { $member ->
       *[token] “{ $token }”
        [channel] channel { $at }
    }, { $own ->
       *[yes] this number’s own entry
        [no] the largest entry of “{ $name }”
    }.
box = The chain ends here: this number is a side of the predicted box.
unread = No later number depends on this one.
guess =
    The chain ends here, at a probability. “{ $word }” ranks { $rank } of { $count }{ $placed ->
       *[yes] { " " }at “{ $token }”
        [no] { "" }
    }: it is { $first ->
       *[yes] { "" }
        [no] not{ " " }
    }the model’s top prediction.
row-of = , in the row of “{ $token }”
