### Why a question cannot be answered as it stands, and names that there are not.

## app/drawings
tree-needs-beam = A tree needs a beam search: choose beam.

## model
of-another-kind =
    { $field } is { $value }; it must be { $kind ->
       *[bool] true or false
        [int] a whole number
        [float] a number
    }.
not-finite = { $field } is { $value }; it must be a finite number.
out-of-range = { $field } is { $given }; it must be between { $low } and { $high }.
too-small = { $field } is { $given }; it must be at least { $limit }.
not-within-the-length = { $field } is { $given }; it must be between { $low } and the length, { $length }.
not-one-of = { $field } is { QUOTED($given, most: 40) }; it must be one of { $known }.
no-such-stack = { $model } has no { $given }; it has { AND($stacks) }.
no-such-index =
    { $field ->
       *[layer] Layer { $given } does not exist; the { $owner } has layers 0 to { $limit }.
        [position] Position { $given } does not exist; the { $owner } has positions 0 to { $limit }.
        [head] Head { $given } does not exist; { $owner } has heads 0 to { $limit }.
        [step] Step { $given } does not exist; { $owner } has steps 0 to { $limit }.
        [answer] Answer { $given } does not exist; this input has answers 0 to { $limit }.
    }
not-two-positions = `{ $field }` is { QUOTED($given) }; it must be two positions, for example 1024:2048.
not-within-the-text = `{ $field }` is { $start }:{ $given }; it must be an interval within 0 to { $limit }.
interval-too-long = `{ $field }` has { $given } positions; the limit is { $limit }.
no-beginning-of-a-block = `{ $field }` begins at { $given }; blocks of { $block } begin at multiples of { $block }.
no-such-stack-of-layers = { $family } can’t have { $layers } { $stack } layers.
width-not-split = d_model { $d_model } can’t be split into { $n_heads } heads: use a multiple of { $n_heads }, or state head_dim.
keys-not-shared = { $n_heads } heads can’t share { $kv_heads } keys and values evenly.
segments-see-ahead = Segment recurrence only looks back; { $family } looks ahead or at another text.
segments-need-offsets = Segment recurrence needs relative positions: a remembered token has no position in a new segment.
sizes-of-another-kind = { $sizes } belong to models of { $owner }; this model takes { $kind }.

## model/activations
at-not-numbers = `at` must be whole numbers separated by commas.
at-of-other-axes = { $activation } has { $limit } axes ({ $axes }), but `at` has { $given } numbers: give one for each axis.
at-beyond = { $activation } has { $size } along { $role }, counted from 0; { $given } does not exist.

## model/analyses
model-has-no-head = { $model } has no head, so it has no logits: choose another model.
head-of-classes = { $model } predicts classes; circuits need a model that predicts words.
nothing-in-layer = None of the requested numbers is in layer { $given }.
too-many-blocks = { $positions } positions make { $blocks } blocks of level { $given } per side (limit { $most }): use level { $limit } or fewer `rows` and `columns`.
belongs-to-level = `{ $field }` needs `level`: give a level too.
level-is-of-one-head = `level` shows one self-attention head of { $model }: leave out `{ $field }`.
no-attention-there =
    { $where ->
       *[all] { $model } has no attention.
        [kind] { $model } has no { $kind }-attention.
        [stack] { $model } has no attention in its { $stack }.
        [kind-stack] { $model } has no { $kind }-attention in its { $stack }.
    }
forward-needs = `forward` needs `kind`, `stack`, `layer` and `head`: it follows one query of a head.
no-such-query = Query { $given } does not exist; the { $axis } has queries 0 to { $limit }.
reads-no-tokens = { $given } has no token vocabulary: choose a text model.
no-sum-of-paths = { $given } can’t be split into paths: choose induction-1 or induction-2.
    .why = With norms or feed-forward networks, the logits are not a sum of paths through heads.
training-not-shipped = { $model } has no stored training steps: leave out `step`, or choose induction-1 or induction-2.
finds-no-boxes = { $given } does not predict boxes: choose shapes.
no-other-example = { $model } has no examples to draw from: use the `ablation` zero, or more `draws` if it has some.
no-feed-forward = { $given } has no feed-forward network: choose another model.
no-such-role = No head of { $model } can have the role { QUOTED($given) }; its roles are { $roles }.
says-no-image = { $given } does not classify images at [CLS]: choose digits.
no-walk = There is no walk for { $given }: choose a model for text or for images in patches.
logit-no-sum = The logits of { $model } can’t be split into parts: hidden layers come after its residual stream.
needs-a-model = `{ $field }` needs a `model`: name one.
mask-needs-a-text = { $given } does not take text; masks need a text model.
length-of-the-text = With a model, the length is that of its text: { $limit } tokens.
one-length-for-a-model = A model runs one sequence here: give one length.
model-of-another-mode = { $given } is not a { $mode } model that takes a whole text.
no-head = { $model } has no head, so it has no logits.
no-patch-reaches-segments = { $given } can’t be patched, because it remembers earlier segments: choose another model.
belongs-to-a-scheme = `{ $field }` belongs to a scheme, but { $model } has its own: leave it out.
needs-a-model-to-read-it = `{ $field }` needs a `model`.
no-part-of-the-scheme = The scheme { $scheme } has no `{ $field }`: leave it out.
channels-in-pairs = d_model is { $given }; it must be even, because channels are pairs of sine and cosine.
nothing-to-interpolate = { $scheme } has no position vectors to interpolate: leave out `interpolated`.
not-asked-of-an-interpolated-table = An interpolated table has no `{ $field }`: leave it out.
no-direction = Both inputs have the same mean stream, so there is no direction: change `toward` or `away`.
token-missing = `token` is missing: give one token of { $model }.
token-is-several = `token` is { $n } tokens ({ $names }): give one token of { $model }.
direction-misses = `{ $field }` is missing: a direction needs two inputs of { $model }.
steering-input-not-read = `{ $field }` can’t be used. { $why }
toward-has-no-own-token = `toward` needs a token that `away` doesn’t have: change one of them.
reads-no-row = { $given } does not take table rows: choose penguins-ft.

## model/analytic
one-sequence-to-paint = Only one sequence can be edited: give one length.
cells-are-a-whole-mask = `cells` is a whole mask: leave out `{ $field }`.
pattern-takes-no = The pattern { $pattern } has no `{ $field }`: leave it out.
pattern-is-one-or-two = `pattern` must be one pattern, or two joined by `and` or `or`.
cells-no-square = `cells` must be { $limit } by { $limit }; { $given } cells were given.
cell-not-0-or-1 = Every cell must be 0 or 1.
flip-not-read = `flip` must be a list of query.key or query.first-last, for example 2.5,3.4-9.
stroke-leaves-the-mask = The stroke { $given } leaves the mask; rows and columns go from 0 to { $limit }.
buckets-not-even = buckets is { $given }; it must be even, because half of them look ahead.
most-within-buckets = most is { $given }; with { $buckets } buckets it must be more than { $limit }.

## model/arrangement
order-too-short = `order` has { $given } positions, but the input has { $limit } tokens: give each of 0 to { $last } once.
order-begins-with-cls = Begin `order` with 0: the prediction is made at [CLS], which stays first.
segments-have-no-pads = { $model } works in segments, which can’t be padded: leave out `pad`.
only-a-text-has-pads = { $model } does not take text, so it can’t be padded: leave out `pad`.
pad-on-the-left = { $model } appends to its text: pad on the left.
too-many-pads = { $given } pads and { $tokens } tokens exceed the { $most } of { $model }: use at most { $limit } pads.
no-position-vectors = { $model } has no position vectors to set to 0: it rotates queries and keys.
only-offsets = { $model } only uses offsets between tokens: leave out `positions`.
told-no-positions = { $model } has no positions: leave out `positions`.
positions-for-each-token = `positions` has { $given } numbers for { $limit } tokens: give one for each.
order-not-read = { QUOTED($order) } is no order: give every position once, for example 2,0,1, or shuffle.
positions-not-read = { QUOTED($positions) } is no choice of `positions`: use on, off, shift:3 or one position per token.
padding-mask-not-read = `padding_mask` is { QUOTED($mask) }; it must be on or off.
pad-not-read = `pad` is { QUOTED($pads) }; it must be left or right and a number, for example left:2.
order-of-one-segment = The order has { $ordered } tokens, but a segment has { $tokens }: shorten the text, or leave out `order`.
positions-go-beyond = The positions go up to { $given }, but those of { $model } only to { $limit }.
pad-has-nothing-beside-it = Position { $given } is a pad, which the unedited run lacks: choose a text token, or show only the edited run.

## model/clinics
too-long-to-time = lengths goes up to { $given }; with measure, the limit is { $limit }.
diverged =
    A network with { $normed ->
       *[True] { $placement }
        [False] no norm
    } diverged: lower the peak rate, use fewer layers or a norm.
    .why = Its loss is not a number.

## model/edits
has-no-positions = { edit }: { $row } has no positions: leave them out.
edit = { $op } at { $at }
named-twice-over = { edit }: name the { $axis } in `where` or in `positions`, not in both.
no-such-axis = { edit }: { $row } has no axis { QUOTED($name) }; it has { $axes }.
names-nothing = { edit }: give at least one { $axis }, or leave `{ $axis }` out.
index-beyond = { edit }: { $name } { $given } does not exist; it must be between 0 and { $limit }.
index-twice = { edit }: give each { $axis } only once.
no-such-operation = { edit }: unknown operation; choose one of { $operations }.
operation-takes-no =
    { edit }: leave out `{ $name }`; { $op } takes { $n ->
        [0] no fields
       *[other] only { AND($taken) }
    }.
operation-needs = { edit }: `{ $needed }` is missing.
one-input-to-patch = { edit }: give one input in `from`, not a list.
input-has-no-field = { edit }: inputs have no field { QUOTED($name) }; they have { $known }.
no-score-to-mask = { edit }: { $activation } can’t be masked; choose an activation whose name ends in scores.
would-be-infinite = { edit }: { $name } would be infinite; choose a smaller value.
not-finite-with-edits = These edits make { $name } infinite or undefined: choose other values.
no-positions-to-mean = { edit }: { $row } has no positions: give an `axis`.
other-shape-there = { edit }: { $row } is { $there } in the other input but { $here } here; only { $axis } may differ.
other-length-there = { edit }: { $row } is { $there } in the other input but { $here } here: use inputs of equal length, or give `positions`.
swap-needs-two = { edit }: give two indices of one axis in `where`; with several such axes, choose one in `axis`.
value-of-another-shape = { edit }: the value has shape { $shape }, but the cells { $sizes }: give one number or that shape.
value-no-table = { edit }: the value is not a table of numbers: give rows of equal length.

## model/inputs
number-of-columns =
    There are { $n } columns to learn from; a model takes 1 to { $most }.{ $n ->
       *[0] { "" }
        [one] { " " }Drop some with --drop.
        [other] { " " }Drop some with --drop.
    }
column-of-dates = Column { $name } contains dates ({ $example }): turn them into columns such as month, or use --drop { SHELL($name) }.
column-mixed = Column { $name } mixes { COUNT($numbers) } numbers with text ({ QUOTED($example) }): write NA for missing values, or use --categories { SHELL($name) }.
too-many-categories = Column { $name } has { COUNT($categories) } categories; the limit is { COUNT($max_categories) }. Merge rare ones, or use --drop { SHELL($name) }.
target-is-a-number = Target { $target } has { COUNT($n) } different numbers; a classifier takes { $most }. Group them into classes such as low and high.
too-many-classes = Target { $target } has { COUNT($n) } classes; the limit is { $most }. Merge rare ones.
target-names-no-class = Target { $target } has no classes; at least two are needed.
target-names-one-class = Target { $target } has only the class { QUOTED($only) }; at least two are needed.
class-too-small =
    Class { QUOTED($rare) } of { $target } has { $n ->
        [one] { $n } row
       *[other] { $n } rows
    }; at least { $least } are needed.
half-a-surrogate-pair = The text contains an invalid character (half a surrogate pair).
pair-is-two-texts = A pair is two texts separated by one { $sign }.
image-of-another-size = The image has { $given } gray values; this model needs { $side } × { $side } = { $limit }.
no-grey-value = Row { $row }, column { $column } of the image is { QUOTED($written) }; it must be from 0 (paper) to { $limit } (ink).
ink-is-16 = { no-grey-value } If ink is 16, divide by 16.
letter-not-read =
    The text contains { QUOTED($given) }; this model only knows { $alphabet ->
       *[letters] the letters a to z
        [word] the letters a to z and the apostrophe
    }.
one-word-is-read = This model takes one word; { $given } were given.
no-phoneme = { QUOTED($given, most: 20) } is not a phoneme. Write them as HH AH0 L OW1, with stress 0, 1 or 2 on vowels.
not-base64 = Character { $place } of the image is { QUOTED($sign) }; base64 only has letters, digits, + and /.
picture-of-another-kind = The image is not PNG, JPEG or WebP: convert it first.
picture-too-large = The image has { $width } × { $height } pixels; the limit is { $most } × { $most }. Make it smaller.
pixels-of-another-kind = The image’s pixel format is not supported: save it with 8 bits per color, not interlaced.
too-many-scans = The image has more than { $most } scans: save it as a baseline JPEG.
picture-damaged = The image file is truncated or damaged: save it again.
number-of-shapes = The scene has { $given } shapes; give 1 to { $limit }. { form-of-shapes }
form-of-shapes = Write a shape as `ellipse red 0.3 0.4 0.2 0.3`: kind, color, center x y, width, height.
shape-of-other-words = Shape { $shape } has { $n } words. { form-of-shapes }
shape-unknown = Shape { $shape } is { QUOTED($given) }; use one of { $known }.
shape-without-numbers = Shape { $shape } has a position or size that is not a number from 0 to 1.
shape-too-small = Shape { $shape } is smaller than { $least } of the image’s side.
shape-beyond-the-picture = Shape { $shape } extends beyond the image.
patches-do-not-fit = An image of side { $side } can’t be cut into patches of side { $patch_side }.
image-needs-an-encoder = Images need an encoder without a tied unembedding.
patches-of-other-positions =
    { $cls ->
        [True] [CLS] and { patches }
       *[False] { patches }
    }; max_length is { $max_length }.
patches = { $patches } patches have { $positions } positions
object-queries-need-patches = Object queries need a decoder and an encoder of image patches.
columns-make-too-few-tokens = The row’s columns make only { $n_tokens } tokens.
row-needs-an-encoder = Table rows need an encoder-only model without positions or a tied unembedding.
columns-make-too-many-tokens = The row’s columns make { $n_tokens } tokens; max_length is { $most }.
no-recurrence = Segments of { $length } tokens with a memory of { $memory } make no recurrence.
table-is-empty = { $path } is empty; its first line must name the columns.
null-characters = { $path } contains null characters: name its encoding, for example --encoding utf-16-le.
other-encoding = { $path } is not in { $encoding } (byte 0x{ $byte }): name its encoding, for example --encoding latin-1.
no-such-encoding = There is no encoding named { QUOTED($encoding) }; try latin-1.
no-csv-file = { $path } is not a CSV file: { $error }.
columns-not-as-long = The table’s columns have different lengths.
frame-too-long = The data frame has { too-many-rows }
too-many-rows = more than { COUNT($most) } rows; use fewer, for example with --rows 100000.
column-twice =
    { $of ->
       *[file] { $file }
        [frame] It
    } has the column { QUOTED($column) } { $times } times; give each its own name.
row-of-other-length = Row { $number } of { $file } has { $cells } cells; the header has { $width }.
file-too-long = { $file } has { too-many-rows }
number-out-of-range = { $column } must be from { $low } to { $high }{ $unit }; { QUOTED($given) } was given.
no-such-option =
    { $column } must be one of { $many ->
       *[False] { $options }
        [True] { $n } options, such as { $options }
    }; { QUOTED($given) } was given.
no-column-with-value = { QUOTED($shown) } is not a column with a value: write { $column }=…, separated by commas.
no-such-column = There is no column { QUOTED($given) }; the columns are { $columns }.
column-given-twice = The column { $given } is given twice.
row-is-empty = The row is empty: give at least one column.
numbers-read-two-ways = Column { $name } is ambiguous: { $number } is { OR($both) }. Use a decimal point without thousands separators, or --drop { SHELL($name) }.

## model/interpretability
no-such-attention = { $model } has no attention called { $given }; it has { AND($known) }.
receiver-missing = `receiver_head` needs `receiver`, the name of an activation.
receiver-has-no-heads = { $receiver } has no heads: leave out `receiver_head`.

## model/interpretability/attribution
not-attributable =
    The prediction of { $given } can’t be attributed to its tokens: it { $reason ->
        [boxes] predicts boxes
        [segments] remembers earlier segments
        [rows] also uses other rows of the table
        [bypass] has numbers that are no tokens
        [headless] has no head
        [slots] has persistent keys and values
       *[kernel] only estimates attention
    }. Choose another model.

## model/interpretability/heads
no-such-level = Level { $given } does not exist; levels go from 0 (single cells) to { $limit }.

## model/interpretability/patching
inputs-of-other-length = The { $axis } has { $given } tokens in the clean input but { $limit } in the corrupted one: use equal lengths, or `positions`.
no-such-position =
    Position { $given } does not exist; the { $name ->
       *[clean] clean
        [corrupted] corrupted
    } { $axis } has positions 0 to { $limit }.
positions-not-pairs = Give at least one pair in `positions`, and each corrupted position only once.
corrupted-twice = The corrupted input is given twice: leave out `corrupted` or `{ $other }`.
input-not-read = { $field } can’t be used ({ QUOTED($why) }): give a text, or a JSON object with some of { $known }.
no-clean-example = No example of { $model } has equal length and another prediction: give an input in `clean`.
no-neurons = { $model } has no neurons, only attention: choose another `unit`.
too-few-neurons = { $model } has { $limit } neurons per layer, too few for { $given } groups: lower `groups`.
no-blank = The sentence has no blank to predict: write ___ instead of a word.

## model/layers
rotary-needs-pairs = d_head is { $d_head }; rotary positions need an even number.
rotary-dim-not-pairs = rotary_dim is { $channels }; it must be even and at most { $d_head }.
classes-not-tied = Classes can’t share their unembedding with the token embedding.
divided-logits-have-no-bias = Logits divided by sqrt(d_model) can’t have a bias.
target-positions-need-a-translator = Only translation models have separate target positions.
shared-input-needs-pre-ln = Parallel sub-layers need Pre-LN and no cross-attention.
base-without-rotary = rope_base is { $base }, but only rotary positions have a base (relative is { $relative }).
turns-in-wrong-order = The turns of rotary pairs are { $low } and { $high }: the second number must be larger.
slots-have-no-position = Persistent slots have no position, but { $relative } needs one for every key.
favor-estimates-dot-products = FAVOR+ only works with plain scaled dot products: nothing can be added to or replace its scores.
model-without-head = This model has no head, so it has no logits.
no-grid = { $limit } positions don’t fit a grid of { $given } columns; { $fitting } would.
too-many-sequences = There are { $given } { $field }; the limit is { $limit }.
table-has-no-position = length is { $given }; it must be at least 1.
grid-of-other-size = A grid of { $rows } x { $columns } has { $patches } patches; the table has { $positions } positions.
grid-is-empty = A grid of { $rows } x { $columns } is empty.
d-head-not-even = d_head is { $given }; it must be even, because channels rotate in pairs.

## model/measure
width-not-of-heads = d_model is { $given }; it must be a multiple of { $limit }, the number of heads.
memory-needs-two-tokens = Memory needs a text of at least 2 tokens.
no-seeds = seeds is { $given }; it must be at least 1.
word-of-other-length = The word has { $given } letters. Type 1 to { $most } letters a to z.

## model/runs
reads-one-text = { $model } takes one text: use `text` instead of `source` and `target`.
input-is-empty =
    { $field ->
       *[text] The text is empty. { type-a-word }
        [source] The source is empty. { type-a-word }
        [target] The target is empty. Leave it out to get the model’s own.
    }
type-a-word = Type at least one word.
reads-a-source = { $model } takes a source and a target: use `source` instead of `text`.
too-many-tokens-read = Your { $field } has { $given } tokens; the limit of { $model } is { $limit }. Please shorten it.
    .why =
        { $reason ->
           *[asked] { "" }
            [unknown] { "" }
            [learned] Its positions are learned, and position { $limit }, counted from 0, has no row.
            [chosen] It learned from texts of at most { $trained } tokens; the limit is Vitrine’s own, because a map of n tokens has n × n weights.
        }
no-room-to-write = Your { $field } has { $given } tokens, which leaves { $model } no room for output. Shorten it to { $limit }.
needs-an-image = { $model } takes images: give an `image`.
not-without-maps =
    { $model } can’t take long text without attention maps: { $reason ->
       *[causal] its attention is not causal
        [segments] it works in segments
        [slots] its attention has persistent slots
        [bias] { $relative } adds a number to every score
        [score] its weights are no softmax of scaled dot products
    }.
both-have-too-many-tokens = Source and target have { $given } tokens together; the limit of { $model } is { $limit }.
input-takes-no =
    { $model } takes { $what ->
       *[text] text
        [image] an image
        [scene] an image of shapes
        [row] a row of a table
    }, not `{ $field }`: leave it out.
not-under-edits = `{ $field }` ignores edits: leave out `{ $field }` or `edits`.
patches-reordered = Patches can’t be drawn in another order: leave out `order`, or ask for `attention` or `logits`.
says-nothing = { $model } has no head, so it predicts no token or class.
long-text-with-edits = Edits don’t work on text without attention maps: leave out `level` and `window`, or the edits.
other-input-not-read = { edit }: the other input can’t be used. { $why }
setting-out-of-range = { $field } must be from { $low } to { $high }; { $shown } was given.
too-many-beams = Too many beams for this text: use at most { $limit }.
    .why = Each beam keeps the keys and values of the whole text.
continues-one-text = { $model } continues one text: use `text`, not `source` or `target`.
writes-nothing = { $model } does not generate text: choose a model that does.
needs-a-row = { $model } takes table rows: give a `row`.
text-not-kept = The text has { $given } tokens; all numbers are available up to { $limit }. For longer text, ask `/attention` with `level`.

## model/training
too-few-examples =
    { $model } only has { $limit } examples: use at most { $limit } in `examples`, or leave it out{ $yours ->
       *[True] .
        [False] { " " }to get the held-out results.
    }

## model/training/own_tables
columns-of-one-kind = TabTransformer needs both categories and numbers; this table only has one kind. Use --architecture ft.
part-without-class =
    The { $part ->
       *[test] test
        [validation] validation
        [train] training
    } set has no row of class { QUOTED($rare) }: { $groups } groups are too few.
card-of-the-name-not-read = { $why }
name-of-an-added-model = { $name } is already the name of an added model: choose another --name.

## model/training/recipes
training-text-missing = The training text { $file } is not in { $folder }.

## model/zoo
no-name-of-title = { QUOTED($title) } can’t be turned into a name: give one with --name.
name-not-of-an-address = { QUOTED($id) } is no valid name: use up to 40 lowercase letters, digits, dots, hyphens and underscores (letter or digit first).
name-of-a-shipped-model = { $id } is the name of a shipped model: choose another with --name.
name-taken = { $id } was already added from { $folder }: choose another --name, or run vitrine remove { $id } first.
shipped-stays = { $id } comes with Vitrine and can’t be removed.
step-not-kept = Step { $given } is not stored; { BOTH($kept) } are.

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
unknown-inputs = There is no kind of input named { QUOTED($name, most: 80) }.{ names }
unknown-model = There is no model named { QUOTED($name, most: 80) }.{ names }
unknown-model-of-yours = There is no model of yours named { QUOTED($name, most: 80) }.{ names }
unknown-network = There is no network named { QUOTED($name, most: 80) }.{ names }
unknown-part = There is no part named { QUOTED($name, most: 80) }.{ names }
unknown-path = There is no path named { QUOTED($name, most: 80) }.{ names }
unknown-pattern = There is no mask pattern named { QUOTED($name, most: 80) }.{ names }
unknown-place = There is no { $axis } named { QUOTED($name, most: 80) }.{ names }
unknown-point = There is no point of the residual stream named { QUOTED($name, most: 80) }.{ names }
unknown-pretraining = There is no pre-training named { QUOTED($name, most: 80) }.{ names }
unknown-readout = There is no readout named { QUOTED($name, most: 80) }.{ names }
unknown-receiver = There is no receiver named { QUOTED($name, most: 80) }.{ names }
unknown-recipe = There is no recipe named { QUOTED($name, most: 80) }.{ names }
unknown-scheme = There is no scheme named { QUOTED($name, most: 80) }.{ names }
unknown-strategy = There is no strategy named { QUOTED($name, most: 80) }.{ names }
unknown-tensor = There is no tensor in this answer named { QUOTED($name, most: 80) }.{ names }
names =
    { $hint ->
        [nearest] { " " }Did you mean { $known }?
        [one] { " " }There is only { $known }.
        [other] { " " }There are: { $known }.
       *[none] { "" }
    }
