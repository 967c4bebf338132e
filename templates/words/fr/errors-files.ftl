### Pourquoi le dossier d’un modèle venu d’ailleurs, une fiche ou un fichier de poids n’est pas lu.

## app/worker
numbers-overflow = Les nombres de { $model } débordent sur cette entrée : ses poids sont trop grands pour la simple précision.

## model/hub
sizes-of-no-tensor = config.json donne des tailles impossibles.
no-folder = { $folder } n’est pas un dossier.
adapter-not-read = { $folder } est un adaptateur LoRA : fusionnez-le d’abord avec son modèle (merge_and_unload), puis enregistrez le résultat.
gguf-not-read = { $folder } contient des fichiers GGUF : prenez le dossier d’origine, avec safetensors.
weights-in-a-pickle = { $file } est un pickle, qui peut exécuter du code : enregistrez les poids en safetensors (save_pretrained).
no-weights = { $folder } ne contient ni { $weights } ni { $index }.
index-without-map = { $file } n’a pas de weight_map : on ne sait pas dans quels fragments sont les tenseurs.
shard-not-of-folder = { $file } nomme { $shard }, qui n’est pas un fichier de ce dossier.
shard-missing = Le fragment { $shard } manque.
shards-do-not-fit =
    { $listed ->
       *[True] Le tenseur { $name } n’est dans aucun fragment.
        [False] Le tenseur { $name } est dans un fragment, mais pas dans { $index }.
    }
no-safetensors-file = { $file } est tronqué ou n’est pas un fichier safetensors ({ $error }) : copiez-le de nouveau.
file-not-read = Impossible de lire { $file } : { $why }.
head-not-read = La tête a { $labels } étiquettes et problem_type { $kind } ; Vitrine lit uniquement la classification à une étiquette.
too-few-tensors = config.json annonce { $layers } couches, mais les poids n’ont que { $tensors } tenseurs.
no-such-model = config.json décrit un modèle impossible : { $why }.
only-one-value = { $key } vaut { $value } ; seule valeur acceptée : { $only }.
activation-not-read = { $key } vaut { $value } ; valeurs acceptées : { $known }.
code-not-run = Le modèle demande son propre code (auto_map dans config.json), que Vitrine n’exécute pas.
quantised-not-read = Les poids sont quantifiés ({ $key } dans config.json) ; Vitrine lit uniquement f32, f16 et bf16.
key-missing = { $file } n’a pas de { QUOTED($name) }.
makes-no-sense = { $name } vaut { $value } dans { $file } : cette valeur est invalide.
true-or-false = { $key } vaut { $value } ; il faut true ou false.
number-for-each-colour = { $key } vaut { $value } ; il faut un nombre par couleur.
not-of-these = { $key } vaut { $value } ; valeurs acceptées : { $known }.
only-height-and-width = { $key } vaut { $value } ; il faut une hauteur et une largeur.
colours-not-read = num_channels vaut { $colours } ; il faut 1 (gris) ou 3 (rouge, vert, bleu).
no-preprocessor = { $folder } n’a pas de { $file } : enregistrez aussi dans ce dossier le processeur d’images du modèle.
other-image-size = size vaut { $size } dans { $file }, mais image_size vaut { $side } dans config.json.
numbers-for-other-colours = image_{ $name } a { $numbers } nombres dans { $file }, mais un pixel a { $colours } couleurs.
rescale-no-number = Dans { $file }, rescale_factor doit être un seul nombre.
kind-of-positions-not-read = { $key } est de type { $kind } ; types acceptés : { $known }.
part-of-positions-unknown = { $key } contient { $name }, que Vitrine ne lit pas.
part-of-positions-missing = { $key } n’a pas de { $name }, que le type { $kind } demande.
odd-channels-turned = Les positions rotatives font tourner { $turned } canaux d’une tête ; il en faut un nombre pair.
precision-not-read = Le tenseur { $name } est de type { $dtype } ; Vitrine lit uniquement f32, f16 et bf16.
shape-of-another-config = Le tenseur { $name } a la forme [{ $shape }], qui ne va pas avec config.json.
tensor-has-no-place = Le tenseur { $name } ne va pas avec le modèle de config.json.
weights-not-whole = Les poids sont incomplets : aucun tenseur ne donne { $place }.
tensor-unknown = Le tenseur { $name } est inconnu.
tensor-not-finite = Le tenseur { $name } contient un nombre qui n’est pas fini.
tensors-differ = { $name } et { $other } devraient être égaux, mais diffèrent.

## model/hub/families
model-type-not-read = model_type vaut { $kind } dans config.json ; valeurs acceptées : { $known }.
architecture-not-read = L’architecture est { $architecture } dans config.json ; pour { $family }, Vitrine lit : { $known }.
not-equal-keys = { $key } vaut { $value } mais { $theirs } vaut { $other } ; ils doivent être égaux.
window-too-short = Avec { $key }, l’attention regarde { $value } tokens en arrière ; le minimum est { $least }.
rope-not-read = { $key } contient { $kind } ; Vitrine lit uniquement { AND($known) }.
activation-not-read-or-gated = { $key } vaut { $value } ; valeurs acceptées : { $known }, et les mêmes avec gated-.
only-squares = { $key } vaut { $value } ; Vitrine lit uniquement les carrés.

## model/inputs
tokenizer-fails = Le tokeniseur de ce modèle échoue sur ce texte : { $why }.
makes-text-longer = Le tokeniseur de ce modèle rend le texte plus de { $most } fois plus long.
rules-make-text-longer = Ses règles peuvent rendre un texte { COUNT($longest) } fois plus long ; la limite est { $most } fois.
tokenizer-too-slow = Le chargement de { $name } prend plus de { $seconds } s.
tokenizer-not-read = Vitrine ne lit pas { $name }. { $why }
tokenizer-too-costly = { $name } demande plus de { $seconds } s ou de { $gigabytes } Go pour des textes de { COUNT($length) } caractères.
is-no-tokenizer = Ce n’est pas un tokeniseur : { $why }.
tokenizer-writes-no-text = Le tokeniseur de ce modèle ne sait pas décoder : { $why }.
fails-on-repeated = { INSIDE($why) } ({ QUOTED($text) } répété).
file-is-no-tokenizer = { $file }, dans { $folder }, n’est pas un tokeniseur : { $why }.
cannot-cut-a-letter = { $file } ne sait pas découper la lettre a : { $why }.
makes-no-letter = { $file } ne tire aucun token de la lettre a.
forbids-no-ids = Les fichiers interdisent { $wrong }, qui n’est pas fait d’identifiants de tokens.
no-number-of-a-token = { $name } vaut { $stated }, qui n’est pas un identifiant de token.
no-token = { $role }_token vaut { $stated }, qui n’est pas un token.
setting-not-read = { $name } vaut { $value } dans { $folder } ; seule valeur acceptée : { $known }.
make-no-tokenizer = { AND($files) }, dans { $folder }, ne donnent pas un tokeniseur : { $error }.
files-missing = { no-tokenizer } Sans lui, un { $name } demande { AND($files) }.
vocabulary-not-read = { no-tokenizer } Sans lui, Vitrine lit les vocabulaires de { $known } ; celui-ci est { $name }.
no-tokenizer = { $folder } n’a pas de tokenizer.json.
no-piece-for-role = { $file }, dans { $folder }, n’a pas d’élément pour { $role }.
adds-a-piece = { $folder } ajoute l’élément { QUOTED($piece) } à { $file }, ce qui demande un tokenizer.json.
added-pieces-make-no-sense = Les éléments ajoutés dans { $folder } sont invalides : { $named }.
no-regular-file = { $where } n’est pas un fichier ordinaire.
no-file-that-can-be-read = { $parent } n’a pas de fichier { $file } lisible.
file-too-large = { $where } dépasse la limite de { COUNT($most) } octets.
no-text-in-utf-8 = { $file }, dans { $parent }, n’est pas du texte en UTF-8.
no-json = { $file }, dans { $parent }, n’est pas du JSON : { $error }.
json-nested-too-deeply = { $file }, dans { $parent }, a trop de niveaux emboîtés.
no-json-object = { $file }, dans { $parent }, n’est pas un objet JSON.
no-model-of-sentencepiece = { $file }, dans { $parent }, est tronqué ou n’est pas un modèle SentencePiece.
setting-of-pieces = { $file }, dans { $parent }, donne { $name } = { $found } ; seule valeur acceptée : { $value }.
kind-of-pieces = { $file }, dans { $parent }, a des éléments de type { $kind }, que Vitrine ne lit pas.
too-many-tokens = Le tokeniseur de { $name } va jusqu’à { COUNT($count) } ; la limite est { COUNT($most) } tokens et fusions.
too-many-letters = Les tokens de { $name } ont { COUNT($letters) } lettres en tout ; la limite est { COUNT($most) }.

## model/training
checkpoint-of-another-run = Le point de sauvegarde de { $folder } est celui de { $other }, pas de { $run }. Supprimez-le ou changez de dossier.
checkpoint-damaged = Le point de sauvegarde { $file } est abîmé : son empreinte ne correspond pas à son manifeste.

## model/training/experiments
measured-on-other-data = { $progress } a été mesuré sur d’autres données. Supprimez-le ou changez de dossier.

## model/zoo
card-field-missing = { QUOTED($name) } manque ou est invalide
card-of-no-model = sa configuration ne décrit pas un modèle
card-not-read = La fiche de { $id } est invalide ({ INSIDE($why) }) : relancez vitrine add, ou lancez vitrine remove { $id }.
card-is-no-models = La fiche de { $id } n’est pas celle d’un modèle : relancez vitrine add, ou lancez vitrine remove { $id }.
weights-folder-gone = Le dossier { $folder }, avec les poids de { $id }, a disparu : remettez-le, ou lancez vitrine remove { $id }.
weights-file-gone = Le fichier { $name } de { $id } a disparu : { again }.
weights-file-changed = Le fichier { $name } de { $id } a changé depuis l’ajout du modèle : { again }.
again =
    { $trained ->
       *[False] relancez vitrine add avec son dossier
        [True] entraînez-le de nouveau
    }
measured-with-other-weights = { $file } a été mesuré avec d’autres poids. Réinstallez Vitrine.
no-end-of-text = { $folder } n’a pas de token de fin de texte (eos_token_id).
tokenizer-of-another-model = Le tokeniseur de { $folder } a le token { $last }, mais le modèle n’a que { $rows } plongements : ils ne vont pas ensemble.
model-too-large = { $id } demande { NUMBER($gigabytes, most: 3) } Go de mémoire ; la limite est { NUMBER($most, most: 3) } Go pour l’ensemble des modèles. Augmentez VITRINE_MODEL_BYTES.
file-changed = Le fichier { $file } ne correspond pas à l’empreinte SHA-256 de sa fiche. Réinstallez Vitrine.
weights-no-safetensors = Le fichier de poids n’est pas un fichier safetensors : { $error }.
weight-of-another-shape = Le poids { $name } a la forme { $found } ; la configuration demande { $expected }.
weight-not-finite = Le poids { $name } contient un nombre qui n’est pas fini.

## names
unknown-key = { $file } a la clé inconnue { QUOTED($name) }, qui pourrait changer le calcul du modèle.
