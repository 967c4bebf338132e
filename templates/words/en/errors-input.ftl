### Why a question cannot be answered as it stands, and names that there are not.

## app/drawings
tree-needs-beam = A tree grows in a beam search: choose beam.

## model
of-another-kind =
    { $field } is { $value }; { $kind ->
       *[bool] it is true or false
        [int] it is a whole number
        [float] it is a number
    }.
not-finite = { $field } is { $value }; it is a finite number.
out-of-range = { $field } is { $given }; it goes from { $low } to { $high }.
too-small = { $field } is { $given }; it is at least { $limit }.
not-within-the-length = { $field } is { $given }; it goes from { $low } to the length, { $length }.
not-one-of = { $field } is { QUOTED($given, most: 40) }; it is one of { $known }.
no-such-stack = { $model } has no { $given }; it has { AND($stacks) }.
no-such-index =
    { $field ->
       *[layer] Layer { $given } does not exist; the { $owner } has layers 0 to { $limit }.
        [position] Position { $given } does not exist; the { $owner } has positions 0 to { $limit }.
        [head] Head { $given } does not exist; { $owner } has heads 0 to { $limit }.
        [step] Step { $given } does not exist; { $owner } has steps 0 to { $limit }.
        [answer] Answer { $given } does not exist; this input has answers 0 to { $limit }.
    }
not-two-positions = `{ $field }` is { QUOTED($given) }; it is two positions, for example 1024:2048.
not-within-the-text = `{ $field }` is { $start }:{ $given }; it begins before it ends, from 0 to { $limit }.
interval-too-long = `{ $field }` has { $given } positions; it has { $limit } at most.
no-beginning-of-a-block = `{ $field }` begins at { $given }; a block of { $block } begins at a multiple of { $block }.
no-such-stack-of-layers = { $family } with { $layers } { $stack } layers makes no sense.
width-not-split = d_model { $d_model } cannot be split over { $n_heads } heads. Choose a multiple of { $n_heads }, or state head_dim, the channels of a head.
keys-not-shared = { $n_heads } heads cannot share { $kv_heads } keys and values evenly.
segments-see-ahead = Segment recurrence goes on with what came before; { $family } sees what comes after, or another text.
segments-need-offsets = A remembered token has no position of its own in a new segment: positions have to be relative.
sizes-of-another-kind = { $sizes } belong to a model that reads { $owner }; this model reads { $kind }.

## model/activations
at-not-numbers = `at` must be whole numbers with commas between them.
at-of-other-axes = { $activation } has { $limit } axes ({ $axes }); `at` must give as many numbers, and gives { $given }.
at-beyond = { $activation } has { $size } along { $role }, counted from 0; { $given } does not exist.

## model/analyses
model-has-no-head = { $model } has no head: it gives streams and no logits, which this is about.
head-of-classes = The head of { $model } says classes, and a circuit leads from words to words.
nothing-in-layer = Nothing asked for lies in layer { $given }.
too-many-blocks = { $positions } positions are { $blocks } blocks of level { $given } to a side, and { $most } are sent: ask for fewer `rows` and `columns`, or for level { $limit }.
belongs-to-level = `{ $field }` belongs to `level`: name a level too.
level-is-of-one-head = With `level` there is the pattern of one head of { $model }'s self-attention: leave out `{ $field }`.
no-attention-there =
    { $where ->
       *[all] { $model } has no attention.
        [kind] { $model } has no { $kind }-attention.
        [stack] { $model } has no attention in its { $stack }.
        [kind-stack] { $model } has no { $kind }-attention in its { $stack }.
    }
forward-needs = `forward` follows one query of a head: it needs `kind`, `stack`, `layer` and `head`.
no-such-query = Query { $given } does not exist; the { $axis } has queries 0 to { $limit }.
reads-no-tokens = { $given } reads no tokens of a vocabulary: choose a model that reads text.
no-sum-of-paths = { $given } has norms or feed-forward networks, so that its logits are no sum of paths through heads: choose induction-1 or induction-2.
training-not-shipped = The training of { $model } is not shipped step by step: leave out `step`, or choose induction-1 or induction-2.
finds-no-boxes = { $given } has no object queries, and finds no boxes; shapes does: ask it.
no-other-example = No other example of { $model } is drawn: ask for the `ablation` zero, or for more `draws` if the model has examples.
no-feed-forward = { $given } has attention only and no feed-forward network: choose another model.
no-such-role = No head of { $model } can have the role { QUOTED($given) }; its roles are { $roles }.
says-no-image = { $given } does not say at [CLS] what an image is; digits does: ask it.
no-walk = No walk is written for { $given }: choose a model that reads a text or an image in patches.
logit-no-sum = { $model } reads its answer through hidden layers: a logit is no sum of parts.
needs-a-model = `{ $field }` needs a `model`: name one.
mask-needs-a-text = { $given } reads no text; a mask is tried on a text.
length-of-the-text = With a model the length is that of its text, { $limit } tokens.
one-length-for-a-model = A model runs one sequence here: give one length.
model-of-another-mode = { $given } is no { $mode } model that reads a whole text.
no-head = { $model } has no head: it gives streams and no logits.
no-patch-reaches-segments = { $given } remembers earlier segments, which no patch reaches: choose another model.
belongs-to-a-scheme = `{ $field }` belongs to a scheme: leave it out, because { $model } has its own.
needs-a-model-to-read-it = `{ $field }` needs a `model` to read it.
no-part-of-the-scheme = `{ $field }` is no part of the scheme { $scheme }: leave it out.
channels-in-pairs = d_model is { $given }; it has to be even: channels come in pairs of sine and cosine.
nothing-to-interpolate = { $scheme } has no vector for each position that could be `interpolated`.
not-asked-of-an-interpolated-table = `{ $field }` is not asked of a table that is interpolated: leave it out.
no-direction = Both inputs have the same mean stream, so there is no direction: change `toward` or `away`.
token-missing = `token` is missing; give one token of the vocabulary of { $model }.
token-is-several = `token` is { $n } tokens ({ $names }); give one token of the vocabulary of { $model }.
direction-misses = `{ $field }` is missing: the direction leads from one input of { $model } to another.
steering-input-not-read = `{ $field }` cannot be read. { $why }
toward-has-no-own-token = `toward` has no token that `away` has not, so nothing could be counted: change one of them.
reads-no-row = { $given } reads no row of a table; penguins-ft does.

## model/analytic
one-sequence-to-paint = Only one sequence can be painted: give one length.
cells-are-a-whole-mask = `cells` is a whole mask; it takes no `{ $field }`.
pattern-takes-no = The pattern { $pattern } takes no `{ $field }`.
pattern-is-one-or-two = `pattern` is one pattern, or two with `and` or `or` between them.
cells-no-square = `cells` is a square of { $limit } by { $limit }; these are { $given } cells.
cell-not-0-or-1 = Every cell is 0 or 1.
flip-not-read = `flip` is a list of query.key or query.first-last, like 2.5,3.4-9.
stroke-leaves-the-mask = The stroke { $given } leaves the mask, whose rows and columns go from 0 to { $limit }.
buckets-not-even = buckets is { $given }; it has to be even: half are for what lies ahead.
most-within-buckets = most is { $given }; { $buckets } buckets reach further: more than { $limit }.

## model/arrangement
order-too-short = `order` names { $given } positions, and the input has { $limit } tokens: name each of 0 to { $last } once.
order-begins-with-cls = The answer is read at [CLS], which stays in front: begin `order` with 0.
segments-have-no-pads = { $model } reads its text in segments, which have no pads: leave out `pad`.
only-a-text-has-pads = { $model } reads no text, and only a text has pads: leave out `pad`.
pad-on-the-left = { $model } writes behind its text, where the pads would stand: pad on the left.
too-many-pads = { $given } pads and { $tokens } tokens are more than the { $most } that { $model } reads; give at most { $limit } pads.
no-position-vectors = { $model } turns its queries and keys by their positions, inside of the attention: there is no vector of a position that could be set to 0.
only-offsets = { $model } knows positions only as offsets between tokens, which stay what they are: leave out `positions`.
told-no-positions = { $model } is told no positions: leave out `positions`.
positions-for-each-token = `positions` has { $given } numbers, and { $limit } tokens are read: give one for each.
order-not-read = `order` names every position once, counted from 0 and with commas between them, for example 2,0,1, or says shuffle; { QUOTED($order) } was given.
positions-not-read = `positions` is on, off, shift: with a number, for example shift:3, or a position for each token with commas between them; { QUOTED($positions) } was given.
padding-mask-not-read = `padding_mask` is on or off; { QUOTED($mask) } was given.
pad-not-read = `pad` is left: or right: with the number of pads, for example left:2; { QUOTED($pads) } was given.
order-of-one-segment = The order is one of { $ordered } tokens, and the text goes on in a segment of { $tokens }. Leave `order` out, or give a shorter text.
positions-go-beyond = The positions would go up to { $given }; those of { $model } go from 0 to { $limit }.
pad-has-nothing-beside-it = A pad stands at position { $given }, and the run without edits has no pads to put beside it: choose a token of the text, or show the edited run alone.

## model/clinics
too-long-to-time = lengths goes up to { $given }; with measure, up to { $limit }.
diverged = A network with { $placement } has diverged: its loss is no number any more. Choose a smaller peak rate, fewer layers or a norm.

## model/edits
has-no-positions = { edit }: { $row } has no positions: leave them out.
edit = { $op } at { $at }
named-twice-over = { edit }: name the { $axis } in `where` or in `positions`, not in both.
no-such-axis = { edit }: { $row } has no axis { QUOTED($name) }; it has { $axes }.
names-nothing = { edit }: name at least one { $axis }, or leave `{ $axis }` out.
index-beyond = { edit }: { $name } { $given } does not exist; it goes from 0 to { $limit }.
index-twice = { edit }: a { $axis } is named twice; name each once.
no-such-operation = { edit }: there is no such operation; there are { $operations }.
operation-takes-no =
    { edit }: leave out `{ $name }`; { $op } takes { $n ->
        [0] no field of its own
       *[other] { AND($taken) }
    }.
operation-needs = { edit }: `{ $needed }` is missing; { $op } needs it.
one-input-to-patch = { edit }: give one input in `from`, not a list of them.
input-has-no-field = { edit }: an input has no field { QUOTED($name) }; it has { $known }.
no-score-to-mask = { edit }: { $activation } is no score; mask an activation whose name ends in scores.
would-be-infinite = { edit }: { $name } would be infinite; choose a smaller value.
not-finite-with-edits = With these edits { $name } is not finite, as after a division by 0: choose other values.
no-positions-to-mean = { edit }: { $row } has no positions; name an `axis`.
other-shape-there = { edit }: { $row } is { $there } there and { $here } here; only { $axis } may differ.
other-length-there = { edit }: { $row } is { $there } in the other input and { $here } in this one; say in `positions` which position goes where, or give an input as long as this one.
swap-needs-two = { edit }: name two indices of one axis in `where`, and the axis in `axis` if more than one axis has two.
value-of-another-shape = { edit }: the value is { $shape }, and the cells are { $sizes }; give one number, or a list of the shape of the cells.
value-no-table = { edit }: the value is no table of numbers; give each row as many numbers as the others.

## model/inputs
number-of-columns =
    There are { $n } columns to learn from; a model reads 1 to { $most }.{ $n ->
       *[0] { "" }
        [one] { " " }Leave some out with --drop.
        [other] { " " }Leave some out with --drop.
    }
column-of-dates = The column { $name } holds dates ({ $example }); write what matters of them as columns of their own, such as month and weekday, or leave it out: --drop { QUOTED($name) }.
column-mixed = The column { $name } mixes { COUNT($numbers) } numbers with texts such as { QUOTED($example) }; write what is missing as NA, or read all of it as categories: --categories { QUOTED($name) }.
too-many-categories = The column { $name } has { COUNT($categories) } categories; a model learns at most { COUNT($max_categories) }: write rare ones as one, or leave it out: --drop { QUOTED($name) }.
target-is-a-number = The target { $target } is a number with { COUNT($n) } different values, and a classifier tells at most { $most } apart; write it in classes, such as low and high.
too-many-classes = The target { $target } has { COUNT($n) } different values, and a classifier tells at most { $most } apart; write rare ones as one.
target-names-no-class = The target { $target } names no class; two or more are needed.
target-names-one-class = The target { $target } names one class alone, { QUOTED($only) }; two or more are needed.
class-too-small =
    The class { QUOTED($rare) } of { $target } has { $n ->
        [one] { $n } row
       *[other] { $n } rows
    }; at least { $least } are needed to learn it and to measure it.
half-a-surrogate-pair = The text holds half of a surrogate pair, which is not a character.
pair-is-two-texts = A pair is two texts with one { $sign } between them.
image-of-another-size = The image has { $given } grey values; this model reads { $side } × { $side } = { $limit }.
no-grey-value = The image has { QUOTED($written) } in row { $row }, column { $column }; a grey value is a number from 0 (paper) to { $limit } (ink).
ink-is-16 = { no-grey-value } Where ink is 16, as in scikit-learn, divide by 16.
letter-not-read = The text holds { QUOTED($given) }; this model reads { $alphabet } only.
one-word-is-read = This model reads one word; { $given } were given.
no-phoneme = { QUOTED($given, most: 20) } is no phoneme; they are written as in HH AH0 L OW1, and a vowel has its stress, 0, 1 or 2.
not-base64 = The picture has { QUOTED($sign) } as sign { $place }, and base64 has letters, digits, + and / alone.
picture-of-another-kind = The picture is no PNG, JPEG or WebP file: save it as one and send that.
picture-too-large = The picture has { $width } × { $height } pixels; one of at most { $most } × { $most } is read: make it smaller.
pixels-of-another-kind = The picture has pixels of another kind than a byte for each colour, or is interlaced: save it with 8 bits in red, green and blue and without interlacing.
too-many-scans = The picture has more than { $most } scans: save it as a baseline JPEG.
picture-damaged = The file of the picture is cut off or damaged: save it again and send all of it.
number-of-shapes = The scene has { $given } shapes; 1 to { $limit } can be drawn; { form-of-shapes }.
form-of-shapes = a shape is a kind, a colour, the centre x y, width and height, as in `ellipse red 0.3 0.4 0.2 0.3`
shape-of-other-words = Shape { $shape } has { $n } words; { form-of-shapes }.
shape-unknown = Shape { $shape } is { QUOTED($given) }; known are { $known }.
shape-without-numbers = Shape { $shape } has a place or a size that is no number from 0 to 1.
shape-too-small = Shape { $shape } is smaller than { $least } of the picture's side.
shape-beyond-the-picture = Shape { $shape } reaches beyond the picture.
patches-do-not-fit = An image of side { $side } cannot be cut into patches of side { $patch_side }.
image-needs-an-encoder = An image is read by an encoder, and patches are no vocabulary to tie the unembedding to.
patches-of-other-positions =
    { $cls ->
        [True] [CLS] and { patches }
       *[False] { patches }
    }; max_length is { $max_length }.
patches = { $patches } patches have { $positions } positions
object-queries-need-patches = Object queries are read by a decoder beside an encoder of patches, and by no other.
columns-make-too-few-tokens = The columns of a row make { $n_tokens } tokens.
row-needs-an-encoder = A row of a table is read by an encoder alone; its columns have no order, and are no vocabulary to tie to.
columns-make-too-many-tokens = The columns of a row make { $n_tokens } tokens; max_length is { $most }.
no-recurrence = Segments of { $length } tokens and a memory of { $memory } make no recurrence.
table-is-empty = { $path } is empty: its first line has to name the columns.
null-characters = { $path } holds null characters, as UTF-16 does: name its encoding, for instance --encoding utf-16-le.
other-encoding = { $path } is not written in { $encoding }: the byte 0x{ $byte } is no letter there; name the encoding, for instance --encoding latin-1.
no-such-encoding = There is no encoding named { QUOTED($encoding) }; try latin-1.
no-csv-file = { $path } is no CSV file: { $error }.
columns-not-as-long = The columns of the table are not all as long.
frame-too-long = The data frame has { too-many-rows }
too-many-rows = more than { COUNT($most) } rows; learn from some of them, for instance with --rows 100000.
column-twice =
    { $of ->
       *[file] { $file }
        [frame] It
    } has the column { QUOTED($column) } { $times } times; give each a name of its own.
row-of-other-length = Row { $number } of { $file } has { $cells } cells; the header has { $width }.
file-too-long = { $file } has { too-many-rows }
number-out-of-range = { $column } is a number from { $low } to { $high }{ $unit }; { QUOTED($given) } was given.
no-such-option =
    { $column } is one of { $many ->
       *[False] { $options }
        [True] { $n } options, such as { $options }
    }; { QUOTED($given) } was given.
no-column-with-value = { QUOTED($shown) } is no column with its value; write { $column }=… with commas between columns.
no-such-column = There is no column { QUOTED($given) }; there is { $columns }.
column-given-twice = The column { $given } is given twice.
row-is-empty = The row is empty: at least one column has to be known.
numbers-read-two-ways = The column { $name } can be read in two ways: { $number } is { OR($both) }. Write it with a decimal point and nothing between thousands, or leave it out: --drop { QUOTED($name) }.

## model/interpretability
no-such-attention = { $model } has no attention called { $given }; it has { AND($known) }.
receiver-missing = A head of the receiver needs a receiver: give `receiver`, the name of an activation.
receiver-has-no-heads = { $receiver } has no heads: leave out `receiver_head`.

## model/interpretability/attribution
not-attributable =
    The answer of { $given } cannot be attributed to its tokens, because it { $reason ->
        [boxes] answers with boxes for object queries and not with one token or class
        [segments] remembers earlier segments, whose tokens are no longer in its input
        [rows] reads other rows of the table too
        [bypass] reads its numbers past the attention, and not as tokens
        [headless] has no head: it gives streams, and no logits
        [slots] has persistent keys and values that belong to no token
       *[kernel] estimates its attention and has no pattern
    }: choose another model.

## model/interpretability/heads
no-such-level = Level { $given } does not exist; there are 0, single cells, to { $limit }.

## model/interpretability/patching
inputs-of-other-length = The { $axis } has { $given } tokens in the clean input and { $limit } in the corrupted one: give inputs of as many tokens, or say in `positions` which position of the clean one goes to which of the corrupted one.
no-such-position = Position { $given } does not exist; the { $name } { $axis } has positions 0 to { $limit }.
positions-not-pairs = Give at least one pair in `positions`, and each position of the corrupted input once.
corrupted-twice = The corrupted input is given twice: leave out `corrupted` or `{ $other }`.
input-not-read = { $field } cannot be read because of { QUOTED($why) }; give a text, or a JSON object with some of { $known }, each a text.
no-clean-example = No example of { $model } has as many tokens as this input and another answer: give a clean input in `clean`.
no-neurons = { $model } has attention only and no neurons: choose another `unit`.
too-few-neurons = { $model } has { $limit } neurons in a layer, too few for { $given } groups: lower `groups`.
no-blank = The sentence has no blank, so there is no answer to compare: write ___ in the place of a word.

## model/layers
rotary-needs-pairs = Rotary positions rotate channels in pairs, and d_head is { $d_head }: it has to be even.
rotary-dim-not-pairs = rotary_dim is { $channels }; channels are rotated in pairs, and a head has { $d_head }.
classes-not-tied = Classes are no tokens: their unembedding cannot be the embedding.
divided-logits-have-no-bias = Logits that are divided by sqrt(d_model) have no bias in any model.
target-positions-need-a-translator = Only a model that translates has a target with positions of its own.
shared-input-needs-pre-ln = Sub-layers that all read the input of their block are those of a Pre-LN model without cross-attention.
base-without-rotary = rope_base is { $base }, and only rotary positions have a base: relative is { $relative }.
turns-in-wrong-order = Rotary positions turn slow pairs of up to { $low } turns, and others from { $high } on: the second number has to be larger.
slots-have-no-position = Persistent slots have no position, and { $relative } needs one of every key.
favor-estimates-dot-products = FAVOR+ estimates exp of the scaled dot product; nothing can be added to a score or put in its place.
model-without-head = This model has no head: it gives streams, and no logits.
no-grid = { $limit } positions make no grid with { $given } columns, but with { $fitting }.
too-many-sequences = There are { $given } { $field }; 1 to { $limit } are shown.
table-has-no-position = length is { $given }; a table has at least 1 position.
grid-of-other-size = A grid of { $rows } x { $columns } has { $patches } patches; the table has { $positions } positions.
grid-is-empty = A grid of { $rows } x { $columns } has no patches.
d-head-not-even = d_head is { $given }; it has to be even: channels turn in pairs.

## model/measure
width-not-of-heads = d_model is { $given }; it has to be a multiple of the { $limit } heads.
memory-needs-two-tokens = Memory is tried on a text of at least 2 tokens.
no-seeds = seeds is { $given }; it is at least 1.
word-of-other-length = The word has { $given } letters. Type 1 to { $most } of the letters a to z.

## model/runs
reads-one-text = { $model } reads one text: put it into `text`, and leave out `source` and `target`.
input-is-empty =
    { $field ->
       *[text] The text is empty. { type-a-word }
        [source] The source is empty. { type-a-word }
        [target] The target is empty. Leave it out to get the model's own.
    }
type-a-word = Type at least one word.
reads-a-source = { $model } turns a source into a target: put what it reads into `source`, and leave out `text`.
too-many-tokens-read =
    The { $field } has { $given } tokens; { $model } reads at most { $limit }{ $reason ->
       *[asked] .
        [unknown] .
        [learned] : its positions are learned, and position { $limit }, counted from 0, has no row.
        [chosen] : its positions have no end, and { $limit } is the choice of this product, because it learned from texts of at most { $trained } tokens and a map of n tokens has n x n weights.
    }
no-room-to-write = The { $field } has { $given } tokens, which leaves { $model } no room to write; at most { $limit } do.
needs-an-image = { $model } reads an image: it needs `image`.
not-without-maps =
    { $model } reads no text without its attention maps: { $reason ->
       *[causal] its attention is not causal over one text
        [segments] it reads a text in segments
        [slots] its attention has persistent slots
        [bias] { $relative } adds a number to every score
        [score] its weights are no softmax of scaled dot products
    }.
both-have-too-many-tokens = Source and target together have { $given } tokens; { $model } reads at most { $limit }.
input-takes-no = { $model } reads { $what }; it takes no `{ $field }`: leave it out.
not-under-edits = `{ $field }` is computed from the weights as they are, without edits: leave out `{ $field }` or `edits`.
patches-reordered = The patches are painted where they lie in the picture, and `order` reads them elsewhere: leave out `order`, or ask for the `attention` or the `logits`.
says-nothing = { $model } has no head: it gives streams, and says no token and no class.
long-text-with-edits = A text that is read without its attention maps is read as it is: leave out `level` and `window`, or the edits.
other-input-not-read = { edit }: the other input cannot be read. { $why }
setting-out-of-range = { $field } must be from { $low } to { $high }; { $shown } was given.
too-many-beams = Each beam keeps the keys and values of the whole text: take at most { $limit }.
continues-one-text = { $model } continues one text: it needs `text`, not `source` or `target`.
writes-nothing = { $model } reads its whole input at once and writes nothing: choose a model that writes.
needs-a-row = { $model } reads a row of a table: it needs `row`.
text-not-kept = The text has { $given } tokens, and all numbers are kept of { $limit } at most. Of a longer text `/attention` answers with `level`, by tiles.

## model/training
too-few-examples =
    { $model } has { $limit } examples and no way to draw others: ask for at most { $limit } in `examples`, or leave it out{ $yours ->
       *[True] .
        [False] { " " }for what was measured on held-out inputs.
    }

## model/training/own_tables
columns-of-one-kind = A TabTransformer attends to categories and takes numbers past them, and this table has columns of one kind alone; take --architecture ft.
part-without-class = The part for { $purpose } has no row of the class { QUOTED($rare) }; there are { $groups } groups, and more are needed.
card-of-the-name-not-read = { $why }
name-of-an-added-model = { $name } is the name of a model that was added: choose another --name.

## model/training/recipes
training-text-missing = The training text { $file } is not in { $folder }.

## model/zoo
no-name-of-title = No name can be made of { QUOTED($title) }: give one with --name.
name-not-of-an-address = { QUOTED($id) } cannot stand in an address: a name is at most 40 small letters, digits, dots, hyphens and underscores, and begins with a letter or a digit.
name-of-a-shipped-model = { $id } is the name of a shipped model: choose another with --name.
name-taken = { $id } is the name of the model that was added from { $folder }: choose another with --name, or run vitrine remove { $id } first.
shipped-stays = { $id } is shipped with Vitrine and cannot be removed.
step-not-kept = The weights of step { $given } were not kept; those of { BOTH($kept) } were.

## names
unknown-activation = There is no activation named { QUOTED($name, most: 80) }.{ names }
unknown-architecture = There is no architecture named { QUOTED($name, most: 80) }.{ names }
unknown-block = There is no block named { QUOTED($name, most: 80) }.{ names }
unknown-choice = There is no { $choice } named { QUOTED($name, most: 80) }.{ names }
unknown-column = There is no column named { QUOTED($name, most: 80) }.{ names }
unknown-example = There is no example named { QUOTED($name, most: 80) }.{ names }
unknown-family = There is no family named { QUOTED($name, most: 80) }.{ names }
unknown-field = There is no field named { QUOTED($name, most: 80) }.{ names }
unknown-figure = There is no figure named { QUOTED($name, most: 80) }.{ names }
unknown-inputs = There is no inputs named { QUOTED($name, most: 80) }.{ names }
unknown-model = There is no model named { QUOTED($name, most: 80) }.{ names }
unknown-model-of-yours = There is no model of yours named { QUOTED($name, most: 80) }.{ names }
unknown-network = There is no network named { QUOTED($name, most: 80) }.{ names }
unknown-part = There is no part named { QUOTED($name, most: 80) }.{ names }
unknown-path = There is no path named { QUOTED($name, most: 80) }.{ names }
unknown-pattern = There is no mask pattern named { QUOTED($name, most: 80) }.{ names }
unknown-place = There is no { $axis } named { QUOTED($name, most: 80) }.{ names }
unknown-point = There is no point of the stream named { QUOTED($name, most: 80) }.{ names }
unknown-pretraining = There is no pre-training named { QUOTED($name, most: 80) }.{ names }
unknown-readout = There is no readout named { QUOTED($name, most: 80) }.{ names }
unknown-receiver = There is no receiver named { QUOTED($name, most: 80) }.{ names }
unknown-recipe = There is no recipe named { QUOTED($name, most: 80) }.{ names }
unknown-scheme = There is no scheme named { QUOTED($name, most: 80) }.{ names }
unknown-strategy = There is no strategy named { QUOTED($name, most: 80) }.{ names }
unknown-tensor = There is no tensor in this answer named { QUOTED($name, most: 80) }.{ names }
names =
    { $hint ->
        [nearest] { " " }The nearest: { $known }.
        [one] { " " }There is: { $known }.
        [other] { " " }There are: { $known }.
       *[none] { "" }
    }
