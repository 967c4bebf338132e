# /heads. Fields and conditions: app/experiments/heads.py; facts: tests/app/words/heads.py.
-confidence = 95%
-answers = The role of every head on held-out inputs, its score compared with chance, and the cost of turning the head off
-zero = 0
-one = 1

-found_by = role of a head, specialized heads, specialised heads, specialize, what each head does, Voita, Specialized Heads Do the Heavy Lifting, previous token head, syntax, coreference, Winograd, interpretable heads, What does BERT look at, Clark
roles = The role of every head
    .description =
        { $of_role ->
           *[no] Each cell is a head. Its number is its best role score: the head’s mean weight on a role’s keys. { colour } The head has that role only if the score is reliably more than { $margin } of the way from chance to { -one }; otherwise, the cell has a dash. { $some_have ->
               *[yes] Of { $heads } heads, { having } a role: { $counted_roles }.
                [no] None of the { $heads } heads has a role.
            }
            [yes] Each cell shows a head’s role score for “{ $role_name }”: its mean weight on { $role_keys }. { colour } { $some_have ->
               *[yes] Of { $heads } heads, { having } this role: { $having_heads }.
                [no] None of the { $heads } heads has this role.
            }
        }
    .more = { head } Turning it off { cost }
colour = Brightness shows how far a role score is above chance (lift: { -zero } at chance, at most { -one }).
having =
    { $having ->
        [one] { $having } has
       *[other] { $having } have
    }
head =
    { $has_role ->
       *[yes] Head { $chosen_head } has the role “{ $chosen_role }”: { score }
        [no] Head { $chosen_head } has no role. The closest is “{ $chosen_role }”: { score }
    }
score = its mean weight on { $chosen_keys } is { $chosen_score }{ interval }; chance is { $chosen_chance }.
interval =
    { $interval ->
       *[yes] { " " }({ -confidence } interval { $chosen_low } to { $chosen_high })
        [no] { "" }
    }
cost =
    { $cost ->
       *[raises] raises the loss by { $chosen_cost } nats { cost-interval }: this is the cost of turning it off.
        [lowers] lowers the loss by { $chosen_gain } nats { cost-interval }.
        [unclear] changes the loss by { $chosen_cost } nats { cost-interval }, which is consistent with { -zero }.
        [single] changes the loss by { $chosen_cost } nats on one input.
    }
cost-interval = ({ -confidence } interval { $chosen_cost_low } to { $chosen_cost_high })
scores = Scores compared with chance
    .description = Each bar shows a head’s role score: the fraction of its attention on the keys of its role, averaged over { over }. The horizontal mark is chance: equal weights on all keys the head may attend to.{ own-input }
    .more = A head has a role only if the whole { -confidence } interval of its role score lies more than { $margin } of the way from chance to { -one }. { head } Turning it off { cost }
over =
    { $inputs } { $inputs_of }{ $few ->
       *[no] { "" }
        [yes] , a small sample
    } { $measured_now ->
       *[no] (measured in advance)
        [yes] (measured now)
    }
own-input =
    { $here ->
       *[no] { "" }
        [yes] { " " }A diamond is the role score on your input alone.
    }
costs = The cost of turning off a head
    .description = Each bar shows how much the loss rises when one head is turned off, over { over }. Head { $dearest_head } costs most: { $dearest_cost } nats.
    .more = The loss is the mean of −ln p over { $right }. For { $needed } of { $heads } heads, the { -confidence } interval of the cost lies above { -zero }. Of these, { needed-alone } no role on this page.{ other-cost }
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
both = Role versus cost of turning off
    .description = Each dot is a head. Heads with a clear role are on the right; heads that are costly to turn off are at the top.{ ranked }
    .more = Head { $clearest_head } has the clearest role, “{ $clearest_role }”. Turning this head off changes the loss by { $clearest_cost } nats. A clear pattern doesn’t make a head necessary: other heads may do the same.
ranked =
    { $ranked ->
       *[yes] { " " }Over the { $heads } heads, the rank correlation between lift and cost is { $agreement }.
        [no] { "" }
    }
groups = All heads of one role turned off
    .description =
        { $together ->
            [none] No head has a role, so there is nothing to turn off.
            [alone] For each role, all its heads are turned off together.
           *[more] { both-costs }
            [no_more] { both-costs }
        }
    .more =
        { $together ->
            [none] { "" }
            [alone] No role has more than one head.
           *[more] Turning them off together costs more than one at a time: when one head is off, the others can do its work.
            [no_more] On these inputs, turning them off together costs no more than one at a time.
        }
both-costs = For each role, all its heads are turned off together. For “{ $group_role }” ({ $group_heads } heads), this costs { $group_cost } nats. When they are turned off one at a time, the costs add up to { $group_alone } nats.
usual =
    .role = best-fitting for each head
    .place = the head that costs most to turn off
    .examples = held-out inputs
drawn = { $offered } new samples, computed now
read =
    { $offered ->
        [one] { $offered } example
       *[other] { $offered } examples
    }, computed now
links =
    .attention = Head { $chosen_head } on its clearest example
    .training = How these roles form in training
Heads =
    .model = The id of a shipped or added model.
    .role = The role to score every head by. By default, each head is scored by the role that is furthest above chance.
    .examples = How many inputs to measure the heads on now: newly drawn ones if the model’s inputs can be drawn, else the first examples of its card. By default, shipped models use their measurements on held-out inputs; an added model is measured now, on two sentences of its card and, if it predicts the next token, on texts of repeating words.
    .seed = Seed for drawing the inputs.
HeadsFigures =
    .place = The head to describe in words, for example decoder.2.cross_attention.1. By default, the costliest head among those with a role.
HeadRole =
    .looks_at = The keys that a head with this role attends to.
HeadName =
    .layer = The name of its attention, for example decoder.2.cross_attention.
ToldHead =
    .role = The head’s role; null if it has none.
    .closest = The head’s role, or else the role whose score is furthest above chance.
    .roles = Every role whose interval lies above the margin.
    .score = The score for the role `closest`.
    .lift = 0 for a score at chance, 1 for a perfect score.
    .cost = The rise of the loss, in nats, when the head is turned off.
    .needed = Whether the interval of the cost lies above 0.
    .shown = The example of the card on which the role is clearest.
HeadGroup =
    .cost = The cost of turning them off together, in nats.
    .alone = The sum of their costs when turned off one at a time.
HeadsAnswer =
    .model = The model’s id.
    .input = The input as the model received it, if any.
    .margin = How far above chance the interval of a score must lie for a head to have the role, as a fraction of the way from chance to 1.
    .inputs = How many inputs the numbers are averaged over.
    .of = What these inputs are.
    .right = What the loss counts as correct.
    .most_examples = The largest `examples` for this model; null where inputs can be drawn.
    .agreement = Spearman’s rank correlation of lift and cost over the heads.
