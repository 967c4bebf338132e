# Edits, and how a run reads its input: the chips and the menu. See app/captions/edited.py,
# app/captions/arrangement.py and app/site/arranging_menu.py.
chip = { $place }: { $what }
part = { $layer } { $part }
every-layer = { $stack }, every layer,
in-stack = { $stack } { $name }
heads = { $part } { $heads }
index = { $name } { $index }
indices = { $names } { BOTH($indices) }
count = { $n } { $names }
off = off
zero = set to 0
mean-of-inputs = mean over other inputs
mean-of-positions = mean over the positions
scale = × { $number }
set = set to { $number }
add = plus { $number }
list = a list of numbers
copied = copied from “{ $input }”
frozen = frozen at its original value
hidden = hidden
exchanged = exchanged
tokens-of =
    { $read ->
        [source] source tokens
       *[text] tokens
        [image] patches
        [row] columns
    }
order = { tokens-of } in the order { $order }
shuffled = { tokens-of } shuffled
reorder = read the { tokens-of } in another order
positions = positions { $positions }
positions-are =
    { $told ->
       *[on] positions on
        [off] positions off
    }
positions-from = positions from { $first }
pads =
    { $count } { $several ->
       *[yes] pads
        [no] pad
    } { $side ->
       *[left] on the left
        [right] on the right
        [other] on the { $given }
    }{ $masked ->
       *[yes] { "" }
        [no] , not masked
    }
