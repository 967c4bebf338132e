### Why a folder of somebody else's model, a card or a file of weights is not read.

## app/worker
numbers-overflow = The numbers of { $model } overflow on this input: its weights are too large for single precision.

## model/hub
sizes-of-no-tensor = config.json has sizes that no tensor can have.
no-folder = { $folder } is no folder.
adapter-not-read = { $folder } is an adapter (LoRA), not a whole model: merge it into its model first (merge_and_unload), and save that.
gguf-not-read = { $folder } has GGUF files, which are not read: use the model's original folder with safetensors.
weights-in-a-pickle = The weights are in { $file }, a pickle, and reading a pickle runs the code in it: save them as safetensors (save_pretrained does so).
no-weights = { $folder } has no { $weights } and no { $index }.
index-without-map = { $file } does not say in which shard each tensor is: it has no weight_map.
shard-not-of-folder = { $file } names { $shard }, which is not a file of this folder.
shard-missing = The shard { $shard } is missing.
shards-do-not-fit =
    { $listed ->
       *[True] The tensor { $name } is in no shard.
        [False] The tensor { $name } is in a shard and not in { $index }.
    }
no-safetensors-file = { $file } is cut off or is no safetensors file ({ $error }): copy it again.
file-not-read = { $file } cannot be read: { $why }.
head-not-read = The head has { $labels } labels with problem_type { $kind }; one class of several is read.
too-few-tensors = config.json has { $layers } layers, and the weights have { $tensors } tensors.
no-such-model = config.json says what no model can be: { $why }.
only-one-value = { $key } is { $value }; only { $only } is read.
activation-not-read = { $key } is { $value }; one of { $known } is read.
code-not-run = The model is code of its own (auto_map in config.json), which is not run here.
quantised-not-read = The weights are quantised ({ $key } in config.json); only f32, f16 and bf16 are read.
key-missing = { $file } has no { QUOTED($name) }.
makes-no-sense = { $name } is { $value } in { $file }, which makes no sense.
true-or-false = { $key } is { $value }; it is true or false.
number-for-each-colour = { $key } is { $value }, and a number is needed for each colour.
not-of-these = { $key } is { $value }; these are read: { $known }.
only-height-and-width = { $key } is { $value }; only a height and a width are read.
colours-not-read = num_channels is { $colours }; 1 (grey) and 3 (red, green, blue) are read.
no-preprocessor = { $folder } has no { $file }, which says how pixels become numbers: save the image processor of the model into the folder too.
other-image-size = size is { $size } in { $file }, and image_size is { $side } in config.json.
numbers-for-other-colours = image_{ $name } has { $numbers } numbers in { $file }, and a pixel has { $colours }.
rescale-no-number = rescale_factor is one number in { $file }.
kind-of-positions-not-read = { $key } has the kind { $kind }; these kinds of positions are read: { $known }.
part-of-positions-unknown = { $key } has { $name }, which is not known here.
part-of-positions-missing = { $key } has no { $name }, which the kind { $kind } needs.
odd-channels-turned = Rotary positions turn { $turned } channels of a head: they go in pairs.
precision-not-read = The tensor { $name } is kept as { $dtype }; only f32, f16 and bf16 are read.
shape-of-another-config = The tensor { $name } has the shape [{ $shape }], which is not that of config.json.
tensor-has-no-place = The tensor { $name } has no place in the model of config.json.
weights-not-whole = The weights are not whole: no tensor gives { $place }.
tensor-unknown = The tensor { $name } is not known here.
tensor-not-finite = The tensor { $name } holds a number that is not finite.
tensors-differ = { $name } and { $other } should be one, and differ.

## model/hub/families
model-type-not-read = The model_type of config.json is { $kind }; these are read: { $known }.
architecture-not-read = The architecture of config.json is { $architecture }; of { $family } these are read: { $known }.
not-equal-keys = { $key } is { $value } and { $theirs } { $other }; equal ones are read.
window-too-short = With { $key } attention looks back only { $value } tokens; sliding windows are read from { $least } tokens on.
rope-not-read = { $key } has { $kind }; { AND($known) } is read.
activation-not-read-or-gated = { $key } is { $value }; one of { $known } is read, or gated-.
only-squares = { $key } is { $value }; only squares are read.

## model/inputs
tokenizer-fails = The tokenizer of this model fails on this text: { $why }.
makes-text-longer = The tokenizer of this model makes this text more than { $most } times as long.
rules-make-text-longer = Its rules may make a text { COUNT($longest) } times as long; at most { $most } times is read.
tokenizer-too-slow = { $name } takes longer than { $seconds } s to read.
tokenizer-not-read = { $name } is not read. { $why }
tokenizer-too-costly = { $name } takes more than { $seconds } s or { $gigabytes } GB to read and to cut texts of { COUNT($length) } characters, or ends the process that does.
is-no-tokenizer = It is no tokenizer: { $why }.
tokenizer-writes-no-text = The tokenizer of this model writes no text: { $why }.
fails-on-repeated = { INSIDE($why) } ({ QUOTED($text) } repeated).
file-is-no-tokenizer = { $file } in { $folder } is no tokenizer: { $why }.
cannot-cut-a-letter = { $file } cannot cut the letter a: { $why }.
makes-no-letter = { $file } makes no token of the letter a.
forbids-no-ids = The files forbid to write { $wrong }, which are no ids.
no-number-of-a-token = { $name } is { $stated }, which is not the number of a token.
no-token = { $role }_token is { $stated }, which is not a token.
setting-not-read = { $name } is { $value } in { $folder }; only { $known } is read.
make-no-tokenizer = { AND($files) } in { $folder } make no tokenizer: { $error }.
files-missing = { no-tokenizer } Without it, a { $name } is read from { AND($files) }.
vocabulary-not-read = { no-tokenizer } Without it, the vocabularies of { $known } are read; this is { $name }.
no-tokenizer = { $folder } has no tokenizer.json, which says how a text is cut.
no-piece-for-role = { $file } in { $folder } has no piece for { $role }.
adds-a-piece = { $folder } adds the piece { QUOTED($piece) } to { $file }; added pieces are read from tokenizer.json alone.
added-pieces-make-no-sense = { $folder } names the added pieces in a way that makes no sense: { $named }.
no-regular-file = { $where } is not a regular file.
no-file-that-can-be-read = { $parent } has no { $file } that can be read.
file-too-large = { $where } has more than { COUNT($most) } bytes: it is too large to be read.
no-text-in-utf-8 = { $file } in { $parent } is no text in UTF-8.
no-json = { $file } in { $parent } is no JSON: { $error }.
json-nested-too-deeply = { $file } in { $parent } is nested too deeply.
no-json-object = { $file } in { $parent } is no JSON object.
no-model-of-sentencepiece = { $file } in { $parent } is cut off or is no model of SentencePiece.
setting-of-pieces = { $file } in { $parent } has { $name } = { $found }, and only { $value } is read.
kind-of-pieces = { $file } in { $parent } has pieces of the kind { $kind }, which are not read.
too-many-tokens = The tokenizer in { $name } counts to { COUNT($count) }; at most { COUNT($most) } tokens and merges are read.
too-many-letters = The tokens of { $name } have { COUNT($letters) } letters together; { COUNT($most) } are read.

## model/training
checkpoint-of-another-run = The checkpoint in { $folder } belongs to another run: { $other }, not { $run }. Remove it or name another folder.
checkpoint-damaged = The checkpoint { $file } is damaged: its digest is not the one in its manifest.

## model/training/experiments
measured-on-other-data = { $progress } was measured on other data. Remove it or name another folder.

## model/zoo
card-field-missing = { QUOTED($name) } is missing or is not what it should be
card-of-no-model = its configuration is no model's
card-not-read = The card of { $id } cannot be read ({ INSIDE($why) }): run vitrine add with its folder again, or vitrine remove { $id }.
card-is-no-models = The card of { $id } cannot be read (it is no model's): run vitrine add with its folder again, or vitrine remove { $id }.
weights-folder-gone = The folder { $folder } with the weights of { $id } is no longer there: put it back, or take the model off with vitrine remove { $id }.
weights-file-gone = The file { $name } of { $id } is no longer there: { again }.
weights-file-changed = The file { $name } of { $id } has changed since the model was added: { again }.
again =
    { $trained ->
       *[False] run vitrine add with its folder again
        [True] train it again
    }
measured-with-other-weights = The file { $file } was measured with other weights. Install Vitrine again.
no-end-of-text = { $folder } names no token that ends a text (eos_token_id).
tokenizer-of-another-model = The tokenizer in { $folder } has a token with the number { $last }, and the model embeds { $rows } tokens: they do not belong together.
model-too-large = { $id } takes at least { NUMBER($gigabytes, most: 3) } GB of memory, and models may take { NUMBER($most, most: 3) } GB together: set VITRINE_MODEL_BYTES to more.
file-changed = The { $file } file is not the one its card was written for: its SHA-256 digest differs. Install Vitrine again.
weights-no-safetensors = The weights file is not a safetensors file: { $error }.
weight-of-another-shape = The weight { $name } has shape { $found }; the configuration asks for { $expected }.
weight-not-finite = The weight { $name } holds a number that is not finite.

## names
unknown-key = { $file } has the key { QUOTED($name) }, which is not known here and may change what the model computes.
