# /heads. Fields and conditions: app/experiments/heads.py; facts: tests/app/words/heads.py.
-answers = The role of every head over held-out inputs beside chance, and what it costs to turn the head off
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
Heads =
    .model = The id of a model, shipped or added.
    .role = The role whose score is sent for every head. If it is left out, it is for each head the role whose score lies farthest above chance.
    .examples = On how many inputs the heads are measured now: inputs drawn anew where those of the model can be drawn, else the first examples of its card. If it is left out, the numbers are those that were measured on held-out inputs when the model was shipped; one that was added is measured now, on two sentences of its card, and its roles also on texts of words that repeat, if it predicts what comes next.
    .seed = Where the draws of the inputs begin, if they are drawn anew.
HeadsFigures =
    .place = The head that is told in words, as decoder.2.cross_attention.1. If it is left out, or the model has no such head, it is the one among those with a role that costs most.
HeadRole =
    .looks_at = The keys that a head of this role attends to.
HeadName =
    .layer = The name of its attention, decoder.2.cross_attention.
ToldHead =
    .role = The role of the head; null if no role was found.
    .closest = The role of the head, or else that whose score is farthest above chance.
    .roles = Every role whose interval lies above the margin.
    .score = The score for the role `closest`.
    .lift = 0 for a score of chance, 1 for a perfect score.
    .cost = By how many nats the loss rises if the head is turned off.
    .needed = Whether the interval of the cost lies above 0.
    .shown = The input of the example of the card on which the role shows best.
HeadGroup =
    .cost = What it costs in nats to turn them off together.
    .alone = The sum of what each of them costs alone.
HeadsAnswer =
    .model = The model's id.
    .input = The input as the model read it, if there is one.
    .margin = How much of the way from chance to 1 the interval of a score must lie above chance for a head to have the role.
    .inputs = Over how many inputs the numbers are means.
    .of = What these inputs are.
    .right = What the loss takes as right.
    .most_examples = The largest `examples` of the model; null where inputs can be drawn.
    .agreement = Spearman's rank correlation of lift and cost over the heads.
