# /heads. Fields and conditions: app/experiments/heads.py; facts: tests/app/words/heads.py.
-zero = 0
-one = 1

-found_by = role of a head, specialised heads, specialise, what each head does, Voita, Specialized Heads Do the Heavy Lifting, previous token head, syntax, coreference, Winograd, interpretable heads, What does BERT look at, Clark
roles = The role of every head
    .description =
        { $of_role ->
           *[no] Each cell is a head, with the role that its attention fits best and its score for it. { colour } Of { $heads } heads, { having } a role{ counted-roles }. A dash means that no role was found.
            [yes] Each cell is a head with its score, the mean weight on { $role_keys }. { colour } { $having } of { $heads } heads have the role “{ $role_name }”: { having-heads }.
        }
    .more = { head } Turning it off { cost }
colour = Brighter means further above chance: the colour is the lift, { -zero } at chance and { -one } at most.
having =
    { $having ->
        [one] { $having } has
       *[other] { $having } have
    }
counted-roles =
    { $some_have ->
       *[yes] : { $counted_roles }
        [no] { "" }
    }
having-heads =
    { $some_have ->
       *[yes] { $having_heads }
        [no] None
    }
head =
    { $has_role ->
       *[yes] Head { $chosen_head } has the role “{ $chosen_role }”: { score }
        [no] For head { $chosen_head } no role was found. The nearest is “{ $chosen_role }”: { score }
    }
score = its score, the mean weight on { $chosen_keys }, is { $chosen_score }{ interval }, and chance is { $chosen_chance }.
interval =
    { $interval ->
       *[yes] { " " }(interval { $chosen_low } to { $chosen_high })
        [no] { "" }
    }
cost =
    { $cost ->
       *[raises] raises the loss by { $chosen_cost } nats { cost-interval }.
        [lowers] lowers the loss by { $chosen_gain } nats { cost-interval }.
        [unclear] changes the loss by { $chosen_cost } nats { cost-interval }, which cannot be told from { -zero }.
        [single] changes the loss by { $chosen_cost } nats on one input.
    }
cost-interval = (interval { $chosen_cost_low } to { $chosen_cost_high })
scores = Scores beside chance
    .description = Each bar is the share of a head’s attention weight that lies on the keys of its role, over { over }. The level stroke is chance, the score of a head that looks evenly at all that it may see.{ own-input }
    .more = A role is found only if the whole interval of the score lies more than { $margin } of the way from chance to { -one }. { head } Turning it off { cost }
over =
    { $inputs } { $inputs_of }{ $few ->
       *[no] { "" }
        [yes] , which are few
    } { $measured_now ->
       *[no] (measured when the model was shipped)
        [yes] (measured now)
    }
own-input =
    { $here ->
       *[no] { "" }
        [yes] { " " }A diamond is the score on your input alone.
    }
costs = What turning a head off costs
    .description = Each bar says by how much the loss rises when one head is turned off, over { over }. Head { $dearest_head } costs most, { $dearest_cost } nats.
    .more = The loss is the mean of −ln p of { $right }. For { $needed } of { $heads } heads the interval lies above { -zero }. Of these heads, { needed-alone } no role that this page knows.{ other-cost }
needed-alone =
    { $needed_alone ->
        [one] { $needed_alone } has
       *[other] { $needed_alone } have
    }
other-cost =
    { $is_dearest ->
       *[yes] { "" }
        [no] { " " }Turning off head { $chosen_head } { cost }
    }
both = Lift and cost
    .description = Each dot is a head. A head with a clear role stands far to the right, and a head that costs much when it is turned off stands high.{ ranked }
    .more = The head with the clearest role is { $clearest_head }, “{ $clearest_role }”, and turning it off changes the loss by { $clearest_cost } nats. A clear pattern does not say that a head is needed: other heads may do the same.
ranked =
    { $ranked ->
       *[yes] { " " }Over { $heads } heads, the rank correlation of the two numbers is { $agreement }.
        [no] { "" }
    }
groups = All heads of one role turned off
    .description =
        { $together ->
            [none] No head has a role, so there are no heads to turn off together.
            [alone] For each role, all heads that have it are turned off together.
           *[more] { both-costs }
            [no_more] { both-costs }
        }
    .more =
        { $together ->
            [none] { "" }
            [alone] No role has more than one head.
           *[more] Together they cost more than the sum. While one of them is off, others still do its work, so turning off one head at a time does not show what they are worth.
            [no_more] As far as these inputs can tell, they cost no more than one by one when all are off.
        }
both-costs = For each role, all heads that have it are turned off together. The { $group_heads } heads of the role “{ $group_role }” cost { $group_cost } nats together, and the sum of what each costs alone is { $group_alone } nats.
usual =
    .role = each head’s own
    .place = costs most
    .examples = held-out inputs
drawn = { $offered } drawn anew, now
read =
    { $offered ->
        [one] { $offered } example
       *[other] { $offered } examples
    }, now
links =
    .attention = Head { $chosen_head } on the example where this shows best
    .training = How these roles form in the training
