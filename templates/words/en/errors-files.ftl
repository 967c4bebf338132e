### Why a folder of somebody else's model, a card or a file of weights is not read.

## app/worker
numbers-overflow = The numbers of { $model } overflow on this input: its weights are too large for single precision.

## model/hub
sizes-of-no-tensor = config.json has impossible sizes.
no-folder = { $folder } is not a folder.
adapter-not-read = { $folder } is a LoRA adapter: merge it into its model first (merge_and_unload), and save that.
gguf-not-read = { $folder } has GGUF files: use the original folder with safetensors.
weights-in-a-pickle = { $file } is a pickle, which can run code: save the weights as safetensors (save_pretrained).
no-weights = { $folder } has no { $weights } and no { $index }.
index-without-map = { $file } has no weight_map, so the shards of the tensors are unknown.
shard-not-of-folder = { $file } names { $shard }, which is not a file in this folder.
shard-missing = The shard { $shard } is missing.
shards-do-not-fit =
    { $listed ->
       *[True] Tensor { $name } is in no shard.
        [False] Tensor { $name } is in a shard but not in { $index }.
    }
no-safetensors-file = { $file } is truncated or not a safetensors file ({ $error }): copy it again.
file-not-read = { $file } can’t be read: { $why }.
head-not-read = The head has { $labels } labels with problem_type { $kind }; only single-label classification is supported.
too-few-tensors = config.json has { $layers } layers, but the weights only { $tensors } tensors.
no-such-model = config.json describes an impossible model: { $why }.
only-one-value = { $key } is { $value }; only { $only } is supported.
activation-not-read = { $key } is { $value }; supported are { $known }.
code-not-run = The model needs its own code (auto_map in config.json), which Vitrine does not run.
quantised-not-read = The weights are quantized ({ $key } in config.json); only f32, f16 and bf16 are supported.
key-missing = { $file } has no { QUOTED($name) }.
makes-no-sense = { $name } is { $value } in { $file }, which is not valid.
true-or-false = { $key } is { $value }; it must be true or false.
number-for-each-colour = { $key } is { $value }; it must be one number per color.
not-of-these = { $key } is { $value }; supported are: { $known }.
only-height-and-width = { $key } is { $value }; it must be a height and a width.
colours-not-read = num_channels is { $colours }; it must be 1 (gray) or 3 (red, green, blue).
no-preprocessor = { $folder } has no { $file }: save the model’s image processor into the folder, too.
other-image-size = size is { $size } in { $file }, but image_size is { $side } in config.json.
numbers-for-other-colours = image_{ $name } has { $numbers } numbers in { $file }, but a pixel has { $colours }.
rescale-no-number = rescale_factor in { $file } must be one number.
kind-of-positions-not-read = { $key } has the kind { $kind }; supported are: { $known }.
part-of-positions-unknown = { $key } has { $name }, which is not supported.
part-of-positions-missing = { $key } has no { $name }, which the kind { $kind } needs.
odd-channels-turned = Rotary positions rotate { $turned } channels of a head; the number must be even.
precision-not-read = Tensor { $name } has type { $dtype }; only f32, f16 and bf16 are supported.
shape-of-another-config = Tensor { $name } has shape [{ $shape }], which does not fit config.json.
tensor-has-no-place = Tensor { $name } does not fit the model of config.json.
weights-not-whole = The weights are incomplete: no tensor gives { $place }.
tensor-unknown = Tensor { $name } is unknown.
tensor-not-finite = Tensor { $name } contains a number that is not finite.
tensors-differ = { $name } and { $other } should be equal, but differ.

## model/hub/families
model-type-not-read = model_type is { $kind } in config.json; supported are: { $known }.
architecture-not-read = The architecture is { $architecture } in config.json; supported for { $family } are: { $known }.
not-equal-keys = { $key } is { $value } but { $theirs } is { $other }; they must be equal.
window-too-short = { $key } makes attention look back only { $value } tokens; the minimum is { $least }.
rope-not-read = { $key } has { $kind }; only { AND($known) } is supported.
activation-not-read-or-gated = { $key } is { $value }; supported are { $known }, and the same with gated-.
only-squares = { $key } is { $value }; only squares are supported.

## model/inputs
tokenizer-fails = This model’s tokenizer fails on this text: { $why }.
makes-text-longer = This model’s tokenizer makes the text more than { $most } times as long.
rules-make-text-longer = Its rules may make a text { COUNT($longest) } times as long; the limit is { $most } times.
tokenizer-too-slow = { $name } takes longer than { $seconds } s to load.
tokenizer-not-read = { $name } is not supported. { $why }
tokenizer-too-costly = { $name } needs more than { $seconds } s or { $gigabytes } GB for texts of { COUNT($length) } characters.
is-no-tokenizer = It is not a tokenizer: { $why }.
tokenizer-writes-no-text = This model’s tokenizer can’t decode: { $why }.
fails-on-repeated = { INSIDE($why) } ({ QUOTED($text) } repeated).
file-is-no-tokenizer = { $file } in { $folder } is not a tokenizer: { $why }.
cannot-cut-a-letter = { $file } can’t tokenize the letter a: { $why }.
makes-no-letter = { $file } makes no token of the letter a.
forbids-no-ids = The files forbid { $wrong }, which are not token ids.
no-number-of-a-token = { $name } is { $stated }, which is not a token id.
no-token = { $role }_token is { $stated }, which is not a token.
setting-not-read = { $name } is { $value } in { $folder }; only { $known } is supported.
make-no-tokenizer = { AND($files) } in { $folder } can’t be read as a tokenizer: { $error }.
files-missing = { no-tokenizer } Otherwise, a { $name } needs { AND($files) }.
vocabulary-not-read = { no-tokenizer } Otherwise, vocabularies of { $known } are supported; this is { $name }.
no-tokenizer = { $folder } has no tokenizer.json.
no-piece-for-role = { $file } in { $folder } has no piece for { $role }.
adds-a-piece = { $folder } adds the piece { QUOTED($piece) } to { $file }, which needs a tokenizer.json.
added-pieces-make-no-sense = The added pieces in { $folder } are not valid: { $named }.
no-regular-file = { $where } is not a regular file.
no-file-that-can-be-read = { $parent } has no readable { $file }.
file-too-large = { $where } has more than { COUNT($most) } bytes, the limit.
no-text-in-utf-8 = { $file } in { $parent } is not UTF-8 text.
no-json = { $file } in { $parent } is not JSON: { $error }.
json-nested-too-deeply = { $file } in { $parent } is nested too deeply.
no-json-object = { $file } in { $parent } is not a JSON object.
no-model-of-sentencepiece = { $file } in { $parent } is truncated or not a SentencePiece model.
setting-of-pieces = { $file } in { $parent } has { $name } = { $found }; only { $value } is supported.
kind-of-pieces = { $file } in { $parent } has pieces of kind { $kind }, which are not supported.
too-many-tokens = The tokenizer in { $name } counts to { COUNT($count) }; the limit is { COUNT($most) } tokens and merges.
too-many-letters = The tokens of { $name } have { COUNT($letters) } letters in all; the limit is { COUNT($most) }.

## model/training
checkpoint-of-another-run = The checkpoint in { $folder } belongs to { $other }, not { $run }. Remove it or use another folder.
checkpoint-damaged = Checkpoint { $file } is damaged: its digest does not match its manifest.

## model/training/experiments
measured-on-other-data = { $progress } was measured on other data. Remove it or use another folder.

## model/zoo
card-field-missing = { QUOTED($name) } is missing or invalid
card-of-no-model = its configuration does not describe a model
card-not-read = The card of { $id } is invalid ({ INSIDE($why) }): run vitrine add again, or vitrine remove { $id }.
card-is-no-models = The card of { $id } is not a model’s: run vitrine add again, or vitrine remove { $id }.
weights-folder-gone = { $folder } with the weights of { $id } is gone: put it back, or run vitrine remove { $id }.
weights-file-gone = File { $name } of { $id } is gone: { again }.
weights-file-changed = File { $name } of { $id } changed after the model was added: { again }.
again =
    { $trained ->
       *[False] run vitrine add with its folder again
        [True] train it again
    }
measured-with-other-weights = { $file } was measured with other weights. Install Vitrine again.
no-end-of-text = { $folder } has no end-of-text token (eos_token_id).
tokenizer-of-another-model = The tokenizer in { $folder } has token { $last }, but the model only { $rows } embeddings: they don’t belong together.
model-too-large = { $id } needs { NUMBER($gigabytes, most: 3) } GB of memory; the limit is { NUMBER($most, most: 3) } GB for all models. Raise VITRINE_MODEL_BYTES.
file-changed = The { $file } file does not match its card’s SHA-256 digest. Install Vitrine again.
weights-no-safetensors = The weights file is not a safetensors file: { $error }.
weight-of-another-shape = Weight { $name } has shape { $found }; the configuration needs { $expected }.
weight-not-finite = Weight { $name } contains a number that is not finite.

## names
unknown-key = { $file } has the unknown key { QUOTED($name) }, which might change the model’s computation.
