### Pourquoi une question telle quelle n’a pas de réponse, et les noms qui n’existent pas.

## app/drawings
tree-needs-beam = Un arbre demande une recherche en faisceau : choisissez beam.

## model
of-another-kind =
    { $field } vaut { $value } ; il faut { $kind ->
       *[bool] true ou false
        [int] un nombre entier
        [float] un nombre
    }.
not-finite = { $field } vaut { $value } ; il faut un nombre fini.
out-of-range = { $field } vaut { $given } ; il faut une valeur de { $low } à { $high }.
too-small = { $field } vaut { $given } ; il faut au moins { $limit }.
not-within-the-length = { $field } vaut { $given } ; il faut une valeur entre { $low } et la longueur, { $length }.
not-one-of = { $field } vaut { QUOTED($given, most: 40) } ; choisissez parmi { $known }.
no-such-stack = { $model } n’a pas de { $given } ; ce modèle a : { AND($stacks) }.
no-such-index =
    { $field ->
       *[layer] La couche { $given } n’existe pas ; celles { $owner ->
           *[encoder] de l’encodeur
            [decoder] du décodeur
        } vont de 0 à { $limit }.
        [position] La position { $given } n’existe pas ; sur l’axe { $owner }, elles vont de 0 à { $limit }.
        [head] La tête { $given } n’existe pas ; celles de { $owner } vont de 0 à { $limit }.
        [step] Le pas { $given } n’existe pas ; ceux de { $owner } vont de 0 à { $limit }.
        [answer] La réponse { $given } n’existe pas ; pour cette entrée, elles vont de 0 à { $limit }.
    }
not-two-positions = `{ $field }` vaut { QUOTED($given) } ; il faut deux positions, par exemple 1024:2048.
not-within-the-text = `{ $field }` vaut { $start }:{ $given } ; il faut un intervalle compris entre 0 et { $limit }.
interval-too-long = `{ $field }` couvre { $given } positions ; la limite est { $limit }.
no-beginning-of-a-block = `{ $field }` commence à { $given } ; les blocs de { $block } commencent aux multiples de { $block }.
no-such-stack-of-layers =
    Un modèle { $family } ne peut pas avoir { $layers } couches { $stack ->
       *[encoder] d’encodeur
        [decoder] de décodeur
    }.
width-not-split = { $n_heads } têtes ne peuvent pas se partager d_model = { $d_model } : prenez un multiple de { $n_heads }, ou donnez head_dim.
keys-not-shared = { $n_heads } têtes ne peuvent pas se partager { $kv_heads } clés et valeurs à parts égales.
segments-see-ahead = La récurrence par segments regarde uniquement en arrière ; { $family } regarde en avant ou vers un autre texte.
segments-need-offsets = La récurrence par segments demande des positions relatives : dans un nouveau segment, un token mémorisé n’a pas de position.
sizes-of-another-kind = { $sizes } concerne les modèles de { $owner } ; celui-ci lit { $kind }.

## model/activations
at-not-numbers = `at` doit contenir des nombres entiers séparés par des virgules.
at-of-other-axes = { $activation } a { $limit } axes ({ $axes }), mais `at` a { $given } nombres : donnez-en un par axe.
at-beyond = { $activation } a { $size } indices sur l’axe { $role }, à partir de 0 ; { $given } n’existe pas.

## model/analyses
model-has-no-head = { $model } n’a pas de tête de sortie, donc pas de logits : choisissez un autre modèle.
head-of-classes = { $model } prédit des classes ; les circuits demandent un modèle qui prédit des mots.
nothing-in-layer = La couche { $given } ne contient aucun des nombres demandés.
too-many-blocks = { $positions } positions font { $blocks } blocs de niveau { $given } par côté (limite { $most }) : montez au niveau { $limit } ou réduisez `rows`, `columns`.
belongs-to-level = `{ $field }` ne va pas sans `level` : donnez aussi un niveau.
level-is-of-one-head = `level` montre une seule tête d’auto-attention de { $model } : retirez `{ $field }`.
no-attention-there =
    { $where ->
       *[all] { $model } n’a pas d’attention.
        [kind] { $model } n’a pas { $kind ->
           *[self] d’auto-attention
            [cross] d’attention croisée
            [rows] d’attention entre lignes
        }.
        [stack] { $model } n’a pas d’attention dans son { stack }.
        [kind-stack] { $model } n’a pas { $kind ->
           *[self] d’auto-attention
            [cross] d’attention croisée
            [rows] d’attention entre lignes
        } dans son { stack }.
    }
forward-needs = `forward` demande `kind`, `stack`, `layer` et `head` : il suit une requête d’une tête.
no-such-query = La requête { $given } n’existe pas ; l’axe { $axis } a les requêtes 0 à { $limit }.
reads-no-tokens = { $given } n’a pas de vocabulaire de tokens : choisissez un modèle de texte.
no-sum-of-paths = { $given } ne se décompose pas en chemins : choisissez induction-1 ou induction-2.
    .why = Avec des normes ou des réseaux feed-forward, les logits ne sont pas une somme de chemins à travers les têtes.
training-not-shipped = { $model } n’a pas d’étapes d’entraînement enregistrées : retirez `step`, ou choisissez induction-1 ou induction-2.
finds-no-boxes = { $given } ne prédit pas de boîtes : choisissez shapes.
no-other-example = { $model } n’a pas d’exemples où puiser : prenez zero pour `ablation` ou, s’il en a, augmentez `draws`.
no-feed-forward = { $given } n’a pas de réseau feed-forward : choisissez un autre modèle.
no-such-role = Aucune tête de { $model } ne peut avoir le rôle { QUOTED($given) } ; les rôles sont { $roles }.
says-no-image = { $given } ne classe pas d’images à la position [CLS] : choisissez digits.
no-walk = Il n’y a pas de parcours pour { $given } : choisissez un modèle de texte ou d’images en patchs.
logit-no-sum = Les logits de { $model } ne se décomposent pas : des couches cachées suivent son flux résiduel.
needs-a-model = `{ $field }` ne va pas sans `model` : nommez un modèle.
mask-needs-a-text = { $given } ne lit pas de texte ; les masques demandent un modèle de texte.
length-of-the-text = Avec un modèle, la longueur est celle de son texte : { $limit } tokens.
one-length-for-a-model = Un modèle traite ici une séquence à la fois : donnez une seule longueur.
model-of-another-mode = { $given } n’est pas un modèle { $mode } qui lit un texte entier.
no-head = { $model } n’a pas de tête de sortie, donc pas de logits.
no-patch-reaches-segments = Pas de patching pour { $given }, qui garde en mémoire les segments précédents : choisissez un autre modèle.
belongs-to-a-scheme = `{ $field }` va avec un codage de position choisi, mais { $model } a le sien : retirez ce champ.
needs-a-model-to-read-it = `{ $field }` ne va pas sans `model`.
no-part-of-the-scheme = Le codage { $scheme } n’a pas de `{ $field }` : retirez ce champ.
channels-in-pairs = d_model vaut { $given } ; il doit être pair, car les canaux vont par deux, sinus et cosinus.
nothing-to-interpolate = { $scheme } n’a pas de vecteurs de position à interpoler : retirez `interpolated`.
not-asked-of-an-interpolated-table = Une table interpolée n’a pas de `{ $field }` : retirez ce champ.
no-direction = Les deux entrées ont le même flux moyen : aucune direction ne les sépare. Changez `toward` ou `away`.
token-missing = `token` manque : donnez un token de { $model }.
token-is-several = `token` fait { $n } tokens ({ $names }) : donnez un seul token de { $model }.
direction-misses = `{ $field }` manque : une direction se calcule à partir de deux entrées de { $model }.
steering-input-not-read = `{ $field }` est inutilisable. { $why }
toward-has-no-own-token = Il faut dans `toward` un token absent de `away` : changez l’un des deux.
reads-no-row = { $given } ne lit pas de lignes de tableau : choisissez penguins-ft.

## model/analytic
one-sequence-to-paint = On ne peut modifier qu’une séquence : donnez une seule longueur.
cells-are-a-whole-mask = `cells` est un masque complet : retirez `{ $field }`.
pattern-takes-no = Le motif { $pattern } n’a pas de `{ $field }` : retirez ce champ.
pattern-is-one-or-two = `pattern` doit être un motif, ou deux motifs reliés par `and` ou `or`.
cells-no-square = `cells` doit être une grille de { $limit } sur { $limit } ; elle a { $given } cellules.
cell-not-0-or-1 = Chaque cellule doit valoir 0 ou 1.
flip-not-read = `flip` doit être une liste de requête.clé ou requête.première-dernière, par exemple 2.5,3.4-9.
stroke-leaves-the-mask = Le trait { $given } sort du masque ; les lignes et les colonnes vont de 0 à { $limit }.
buckets-not-even = buckets vaut { $given } ; il doit être pair, car la moitié regarde en avant.
most-within-buckets = most vaut { $given } ; avec { $buckets } classes de distance, il doit dépasser { $limit }.

## model/arrangement
order-too-short = `order` a { $given } positions, mais l’entrée a { $limit } tokens : donnez une fois chaque position de 0 à { $last }.
order-begins-with-cls = Commencez `order` par 0 : la prédiction se fait à la position [CLS], qui reste en tête.
segments-have-no-pads = { $model } travaille par segments, qui n’admettent pas de remplissage : retirez `pad`.
only-a-text-has-pads = { $model } ne lit pas de texte et n’admet donc pas de remplissage : retirez `pad`.
pad-on-the-left = { $model } prolonge son texte : placez le remplissage à gauche (left).
too-many-pads = { $given } tokens de remplissage et { $tokens } tokens dépassent les { $most } de { $model } : remplissez avec { $limit } au plus.
no-position-vectors = { $model } n’a pas de vecteurs de position à mettre à 0 : il fait tourner les requêtes et les clés.
only-offsets = { $model } connaît uniquement les écarts entre tokens : retirez `positions`.
told-no-positions = { $model } n’a pas de positions : retirez `positions`.
positions-for-each-token = `positions` a { $given } nombres pour { $limit } tokens : donnez-en un par token.
order-not-read = { QUOTED($order) } n’est pas un ordre : donnez chaque position une fois, par exemple 2,0,1, ou shuffle.
positions-not-read = { QUOTED($positions) } ne convient pas à `positions` : écrivez on, off, shift:3 ou une position par token.
padding-mask-not-read = `padding_mask` vaut { QUOTED($mask) } ; il faut on ou off.
pad-not-read = `pad` vaut { QUOTED($pads) } ; il faut left ou right et un nombre, par exemple left:2.
order-of-one-segment = L’ordre a { $ordered } tokens, mais un segment en a { $tokens } : raccourcissez le texte, ou retirez `order`.
positions-go-beyond = Les positions vont jusqu’à { $given }, mais celles de { $model } s’arrêtent à { $limit }.
pad-has-nothing-beside-it = À la position { $given }, le remplissage n’a pas d’équivalent sans modification : choisissez un token du texte, ou l’exécution modifiée seule.

## model/clinics
too-long-to-time = lengths va jusqu’à { $given } ; avec measure, la limite est { $limit }.
diverged =
    Un réseau { $normed ->
       *[True] { $placement }
        [False] sans norme
    } a divergé : baissez le taux d’apprentissage maximal, retirez des couches ou ajoutez une norme.
    .why = Sa perte n’est pas un nombre.

## model/edits
has-no-positions = { edit } : { $row } n’a pas de positions ; retirez `positions`.
edit = { $op } sur { $at }
named-twice-over = { edit } : donnez l’axe { $axis } dans `where` ou dans `positions`, pas dans les deux.
no-such-axis = { edit } : { $row } n’a pas d’axe { QUOTED($name) } ; ses axes sont { $axes }.
names-nothing = { edit } : donnez au moins un indice de { $axis }, ou retirez `{ $axis }`.
index-beyond = { edit } : l’indice { $given } de { $name } n’existe pas ; ils vont de 0 à { $limit }.
index-twice = { edit } : donnez chaque indice de { $axis } une seule fois.
no-such-operation = { edit } : opération inconnue ; choisissez parmi { $operations }.
operation-takes-no =
    { edit } : retirez `{ $name }` ; { $op } { $n ->
        [0] n’a pas de champs
       *[other] n’accepte que { AND($taken) }
    }.
operation-needs = { edit } : `{ $needed }` manque.
one-input-to-patch = { edit } : donnez une seule entrée dans `from`, pas une liste.
input-has-no-field = { edit } : les entrées n’ont pas de champ { QUOTED($name) } ; elles ont { $known }.
no-score-to-mask = { edit } : { $activation } ne peut pas être masqué ; choisissez une activation dont le nom finit par scores.
would-be-infinite = { edit } : { $name } deviendrait infini ; choisissez une valeur plus petite.
not-finite-with-edits = Ces modifications rendent { $name } infini ou indéfini : choisissez d’autres valeurs.
no-positions-to-mean = { edit } : { $row } n’a pas de positions ; donnez un `axis`.
other-shape-there = { edit } : { $row } a la forme { $there } dans l’autre entrée et { $here } ici ; seul l’axe { $axis } peut différer.
other-length-there = { edit } : { $row } a la forme { $there } dans l’autre entrée et { $here } ici. Prenez des entrées de même longueur, ou donnez `positions`.
swap-needs-two = { edit } : donnez deux indices d’un axe dans `where` ; si plusieurs axes en ont deux, choisissez avec `axis`.
value-of-another-shape = { edit } : la valeur a la forme { $shape }, les cellules { $sizes } ; donnez un nombre, ou la forme des cellules.
value-no-table = { edit } : la valeur n’est pas un tableau de nombres ; donnez des lignes de même longueur.

## model/inputs
number-of-columns =
    Nombre de colonnes pour apprendre : { $n } ; il en faut de 1 à { $most }.{ $n ->
       *[0] { "" }
        [one] { " " }Écartez-en avec --drop.
        [other] { " " }Écartez-en avec --drop.
    }
column-of-dates = La colonne { $name } contient des dates ({ $example }) : tirez-en des colonnes comme le mois, ou ajoutez --drop { SHELL($name) }.
column-mixed = La colonne { $name } mêle { COUNT($numbers) } nombres et du texte ({ QUOTED($example) }) : notez NA les valeurs manquantes, ou ajoutez --categories { SHELL($name) }.
too-many-categories = La colonne { $name } a { COUNT($categories) } catégories ; la limite est { COUNT($max_categories) }. Regroupez les plus rares, ou ajoutez --drop { SHELL($name) }.
target-is-a-number = La cible { $target } a { COUNT($n) } nombres différents ; un classifieur en admet { $most }. Formez des classes, comme bas et haut.
too-many-classes = La cible { $target } a { COUNT($n) } classes ; la limite est { $most }. Regroupez les plus rares.
target-names-no-class = La cible { $target } n’a pas de classes ; il en faut au moins deux.
target-names-one-class = La cible { $target } n’a que la classe { QUOTED($only) } ; il en faut au moins deux.
class-too-small =
    La classe { QUOTED($rare) } de { $target } a { $n ->
        [one] { $n } ligne
       *[other] { $n } lignes
    } ; il en faut au moins { $least }.
half-a-surrogate-pair = Le texte contient un caractère invalide (une moitié de paire de substitution).
pair-is-two-texts = Une paire se compose de deux textes séparés par un seul { $sign }.
image-of-another-size = L’image a { $given } niveaux de gris ; ce modèle en attend { $side } × { $side } = { $limit }.
no-grey-value = Ligne { $row }, colonne { $column }, l’image vaut { QUOTED($written) } ; il faut une valeur de 0 (papier) à { $limit } (encre).
ink-is-16 = { no-grey-value } Si l’encre vaut 16, divisez par 16.
letter-not-read =
    Le texte contient { QUOTED($given) } ; ce modèle connaît seulement { $alphabet ->
       *[letters] les lettres de a à z
        [word] les lettres de a à z et l’apostrophe
    }.
one-word-is-read = Ce modèle lit un seul mot ; vous en avez donné { $given }.
no-phoneme = { QUOTED($given, most: 20) } n’est pas un phonème. Écrivez HH AH0 L OW1, avec l’accent 0, 1 ou 2 sur les voyelles.
not-base64 = Le caractère { $place } de l’image est { QUOTED($sign) } ; base64 se compose de lettres, de chiffres, de + et de /.
picture-of-another-kind = L’image n’est pas en PNG, JPEG ou WebP : convertissez-la d’abord.
picture-too-large = L’image a { $width } × { $height } pixels ; la limite est { $most } × { $most }. Réduisez-la.
pixels-of-another-kind = Ce format de pixels n’est pas lu : enregistrez l’image en 8 bits par couleur, sans entrelacement.
too-many-scans = L’image a plus de { $most } passes (scans) : enregistrez-la en JPEG baseline.
picture-damaged = Le fichier de l’image est tronqué ou abîmé : enregistrez-le de nouveau.
number-of-shapes = La scène a { $given } formes ; donnez-en de 1 à { $limit }. { form-of-shapes }
form-of-shapes = Écrivez une forme ainsi : `ellipse red 0.3 0.4 0.2 0.3`, soit type, couleur, centre x y, largeur, hauteur.
shape-of-other-words = La forme { $shape } a { $n } mots. { form-of-shapes }
shape-unknown = La forme { $shape } contient { QUOTED($given) } ; choisissez parmi { $known }.
shape-without-numbers = La forme { $shape } a une position ou une taille qui n’est pas un nombre de 0 à 1.
shape-too-small = La forme { $shape } fait moins de { $least } du côté de l’image.
shape-beyond-the-picture = La forme { $shape } sort de l’image.
patches-do-not-fit = Une image de côté { $side } ne se découpe pas en patchs de côté { $patch_side }.
image-needs-an-encoder = Les images demandent un encodeur, sans projection finale (unembedding) liée.
patches-of-other-positions =
    { $cls ->
        [True] [CLS] et { patches }
       *[False] { patches }
    } ; max_length vaut { $max_length }.
patches = { $patches } patchs ont { $positions } positions
object-queries-need-patches = Les requêtes d’objets demandent un décodeur et un encodeur de patchs d’image.
columns-make-too-few-tokens = Les colonnes de la ligne ne font que { $n_tokens } tokens.
row-needs-an-encoder = Les lignes de tableau demandent un modèle encoder-only, sans positions ni projection finale (unembedding) liée.
columns-make-too-many-tokens = Les colonnes de la ligne font { $n_tokens } tokens ; max_length vaut { $most }.
no-recurrence = Des segments de { $length } tokens avec une mémoire de { $memory } ne font pas de récurrence.
table-is-empty = { $path } est vide ; sa première ligne doit nommer les colonnes.
null-characters = { $path } contient des caractères nuls : nommez son encodage, par exemple --encoding utf-16-le.
other-encoding = { $path } n’est pas en { $encoding } (octet 0x{ $byte }) : nommez son encodage, par exemple --encoding latin-1.
no-such-encoding = Aucun encodage ne s’appelle { QUOTED($encoding) } ; essayez latin-1.
no-csv-file = { $path } n’est pas un fichier CSV : { $error }.
columns-not-as-long = Les colonnes du tableau n’ont pas la même longueur.
frame-too-long = Le data frame a { too-many-rows }
too-many-rows = plus de { COUNT($most) } lignes ; réduisez-le, par exemple avec --rows 100000.
column-twice =
    { $of ->
       *[file] { $file }
        [frame] Le data frame
    } a { $times } fois la colonne { QUOTED($column) } ; donnez à chacune son propre nom.
row-of-other-length = La ligne { $number } de { $file } a { $cells } cellules ; l’en-tête en a { $width }.
file-too-long = { $file } a { too-many-rows }
number-out-of-range = { $column } doit aller de { $low } à { $high }{ $unit } ; valeur reçue : { QUOTED($given) }.
no-such-option =
    { $column } doit être { $many ->
       *[False] l’une des valeurs { $options }
        [True] l’une de { $n } valeurs, comme { $options }
    } ; valeur reçue : { QUOTED($given) }.
no-column-with-value = { QUOTED($shown) } n’est pas une colonne avec sa valeur : écrivez { $column }=…, avec des virgules entre les colonnes.
no-such-column = Il n’y a pas de colonne { QUOTED($given) } ; les colonnes sont { $columns }.
column-given-twice = La colonne { $given } est donnée deux fois.
row-is-empty = La ligne est vide : donnez au moins une colonne.
numbers-read-two-ways = La colonne { $name } est ambiguë : { $number } se lit { OR($both) }. Écrivez un point décimal et aucun séparateur de milliers, ou --drop { SHELL($name) }.

## model/interpretability
no-such-attention = { $model } n’a pas d’attention nommée { $given } ; il a { AND($known) }.
receiver-missing = `receiver_head` demande `receiver`, le nom d’une activation.
receiver-has-no-heads = { $receiver } n’a pas de têtes : retirez `receiver_head`.

## model/interpretability/attribution
not-attributable =
    On ne peut pas attribuer la prédiction de { $given } à ses tokens : ce modèle { $reason ->
        [boxes] prédit des boîtes
        [segments] garde en mémoire les segments précédents
        [rows] utilise aussi d’autres lignes du tableau
        [bypass] lit des nombres sans token
        [headless] n’a pas de tête de sortie
        [slots] a des clés et valeurs persistantes
       *[kernel] ne fait qu’estimer l’attention
    }. Choisissez un autre modèle.

## model/interpretability/heads
no-such-level = Le niveau { $given } n’existe pas ; les niveaux vont de 0 (cellules isolées) à { $limit }.

## model/interpretability/patching
inputs-of-other-length = Sur l’axe { $axis }, l’entrée propre a { $given } tokens et la corrompue { $limit } : prenez-les de même longueur, ou donnez `positions`.
no-such-position =
    La position { $given } n’existe pas ; dans l’entrée { $name ->
       *[clean] propre
        [corrupted] corrompue
    }, l’axe { $axis } a les positions 0 à { $limit }.
positions-not-pairs = Donnez au moins une paire dans `positions`, et chaque position corrompue une seule fois.
corrupted-twice = L’entrée corrompue est donnée deux fois : retirez `corrupted` ou `{ $other }`.
input-not-read = { $field } est inutilisable ({ QUOTED($why) }) : donnez un texte, ou un objet JSON avec des champs parmi { $known }.
no-clean-example = Aucun exemple de { $model } n’a la même longueur et une autre prédiction : donnez une entrée dans `clean`.
no-neurons = { $model } n’a pas de neurones, seulement de l’attention : choisissez une autre unité dans `unit`.
too-few-neurons = { $model } a { $limit } neurones par couche, trop peu pour { $given } groupes : baissez `groups`.
no-blank = La phrase n’a pas de trou à prédire : écrivez ___ à la place d’un mot.

## model/layers
rotary-needs-pairs = d_head vaut { $d_head } ; les positions rotatives demandent un nombre pair.
rotary-dim-not-pairs = rotary_dim vaut { $channels } ; il faut un nombre pair, au plus { $d_head }.
classes-not-tied = Des classes ne peuvent pas partager leur projection finale (unembedding) avec le plongement des tokens.
divided-logits-have-no-bias = Des logits divisés par sqrt(d_model) ne peuvent pas avoir de biais.
target-positions-need-a-translator = Les positions séparées pour la cible sont réservées aux modèles de traduction.
shared-input-needs-pre-ln = Des sous-couches parallèles demandent Pre-LN et n’admettent pas d’attention croisée.
base-without-rotary = rope_base vaut { $base }, mais seules les positions rotatives ont une base (relative vaut { $relative }).
turns-in-wrong-order = Les tours des paires rotatives sont { $low } et { $high } : le second nombre doit être le plus grand.
slots-have-no-position = Les clés persistantes n’ont pas de position, mais { $relative } en demande une pour chaque clé.
favor-estimates-dot-products = FAVOR+ s’applique uniquement aux produits scalaires réduits (scaled dot) : on ne peut ni ajouter aux scores, ni les remplacer.
model-without-head = Ce modèle n’a pas de tête de sortie, donc pas de logits.
no-grid = { $limit } positions ne remplissent pas une grille de { $given } colonnes ; { $fitting } conviendrait.
too-many-sequences = `{ $field }` contient { $given } séquences ; la limite est { $limit }.
table-has-no-position = length vaut { $given } ; il faut au moins 1.
grid-of-other-size = Une grille de { $rows } x { $columns } a { $patches } patchs ; la table a { $positions } positions.
grid-is-empty = Une grille de { $rows } x { $columns } est vide.
d-head-not-even = d_head vaut { $given } ; il doit être pair, car les canaux tournent par paires.

## model/measure
width-not-of-heads = d_model vaut { $given } ; il doit être un multiple de { $limit }, le nombre de têtes.
memory-needs-two-tokens = La mémoire demande un texte d’au moins 2 tokens.
no-seeds = seeds vaut { $given } ; il faut au moins 1.
word-of-other-length = Le mot a { $given } lettres. Tapez de 1 à { $most } lettres, de a à z.

## model/runs
reads-one-text = { $model } lit un seul texte : donnez `text` au lieu de `source` et `target`.
input-is-empty =
    { $field ->
       *[text] Le texte est vide. { type-a-word }
        [source] La source est vide. { type-a-word }
        [target] La cible est vide. Retirez-la pour obtenir celle du modèle.
    }
type-a-word = Tapez au moins un mot.
reads-a-source = { $model } lit une source et une cible : donnez `source` au lieu de `text`.
too-many-tokens-read =
    { $field ->
       *[text] Votre texte
        [source] Votre source
        [target] Votre cible
    } a { $given } tokens ; la limite de { $model } est { $limit }. Il faut raccourcir.
    .why =
        { $reason ->
           *[asked] { "" }
            [unknown] { "" }
            [learned] Ses positions sont apprises et, comptée à partir de 0, la position { $limit } n’a pas de ligne dans la table.
            [chosen] Ce modèle a appris sur des textes d’au plus { $trained } tokens ; la limite est celle de Vitrine, car une carte de n tokens a n × n poids.
        }
no-room-to-write =
    { $field ->
       *[text] Votre texte
        [source] Votre source
    } a { $given } tokens et ne laisse pas à { $model } la place d’écrire. Gardez-en { $limit } au plus.
needs-an-image = { $model } lit des images : donnez une `image`.
not-without-maps =
    { $model } ne lit aucun long texte sans cartes d’attention : { $reason ->
       *[causal] son attention n’est pas causale
        [segments] ce modèle travaille par segments
        [slots] son attention a des clés persistantes
        [bias] { $relative } ajoute un nombre à chaque score
        [score] ses poids ne sont pas un softmax de produits scalaires réduits
    }.
both-have-too-many-tokens = La source et la cible ont ensemble { $given } tokens ; la limite de { $model } est { $limit }.
input-takes-no =
    L’entrée de { $model } est { $what ->
       *[text] du texte
        [image] une image
        [scene] une image
        [row] une ligne de tableau
    }, pas `{ $field }` : retirez ce champ.
not-under-edits = `{ $field }` ignore les modifications : retirez `{ $field }` ou `edits`.
patches-reordered = Les patchs ne se dessinent pas dans un autre ordre : retirez `order`, ou demandez `attention` ou `logits`.
says-nothing = { $model } n’a pas de tête de sortie et ne prédit donc ni token ni classe.
long-text-with-edits = On ne peut pas modifier un texte lu sans cartes d’attention : retirez `level` et `window`, ou les modifications.
other-input-not-read = { edit } : l’autre entrée est inutilisable. { $why }
setting-out-of-range = { $field } doit aller de { $low } à { $high } ; valeur reçue : { $shown }.
too-many-beams = Trop de faisceaux pour ce texte : prenez-en { $limit } au plus.
    .why = Chaque faisceau garde les clés et les valeurs du texte entier.
continues-one-text = { $model } prolonge un seul texte : donnez `text`, pas `source` ni `target`.
writes-nothing = { $model } n’écrit pas de texte : choisissez un modèle qui en écrit.
needs-a-row = { $model } lit des lignes de tableau : donnez une ligne dans `row`.
text-not-kept = Le texte a { $given } tokens ; tous les nombres sont disponibles jusqu’à { $limit }. Au-delà, interrogez `/attention` avec `level`.

## model/training
too-few-examples =
    { $model } n’a que { $limit } exemples : mettez au plus { $limit } dans `examples`, ou retirez-le{ $yours ->
       *[True] .
        [False] { " " }pour obtenir les résultats de validation.
    }

## model/training/own_tables
columns-of-one-kind = TabTransformer demande à la fois des catégories et des nombres ; ce tableau n’a qu’un des deux. Essayez --architecture ft.
part-without-class =
    L’ensemble { $part ->
       *[test] de test
        [validation] de validation
        [train] d’entraînement
    } n’a aucune ligne de classe { QUOTED($rare) } : { $groups } groupes ne suffisent pas.
card-of-the-name-not-read = { $why }
name-of-an-added-model = { $name } est déjà le nom d’un modèle ajouté : choisissez un autre --name.

## model/training/recipes
training-text-missing = Le texte d’entraînement { $file } n’est pas dans { $folder }.

## model/zoo
no-name-of-title = { QUOTED($title) } ne peut pas donner un nom : choisissez-en un avec --name.
name-not-of-an-address = { QUOTED($id) } n’est pas un nom valide : 40 minuscules, chiffres, points, tirets ou soulignés au plus (lettre ou chiffre d’abord).
name-of-a-shipped-model = { $id } est le nom d’un modèle fourni : choisissez-en un autre avec --name.
name-taken = { $id } a déjà été ajouté depuis { $folder } : choisissez un autre --name, ou lancez d’abord vitrine remove { $id }.
shipped-stays = { $id } est fourni avec Vitrine et ne peut pas être retiré.
step-not-kept = L’étape { $given } n’est pas enregistrée ; étapes disponibles : { BOTH($kept) }.

## names
unknown-activation = Aucune activation ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-architecture = Aucune architecture ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-block = Aucun bloc ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-choice = { $choice } ne peut pas valoir { QUOTED($name, most: 80) }.{ names }
unknown-column = Aucune colonne ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-example = Aucun exemple ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-family = Aucune famille ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-field = Aucun champ ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-figure = Aucune figure ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-inputs = Aucun type d’entrée ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-model = Aucun modèle ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-model-of-yours = Aucun de vos modèles ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-network = Aucun réseau ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-part = Aucune partie ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-path = Aucun chemin ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-pattern = Aucun motif de masque ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-place = L’axe { $axis } n’a pas de place nommée { QUOTED($name, most: 80) }.{ names }
unknown-point = Aucun point du flux résiduel ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-pretraining = Aucun pré-entraînement ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-readout = Aucun mode de lecture (readout) ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-receiver = Aucun récepteur ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-recipe = Aucune recette ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-scheme = Aucun codage de position ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-strategy = Aucune stratégie ne s’appelle { QUOTED($name, most: 80) }.{ names }
unknown-tensor = Aucun tenseur de cette réponse ne s’appelle { QUOTED($name, most: 80) }.{ names }
names =
    { $hint ->
        [nearest] { " " }Vouliez-vous dire { $known } ?
        [one] { " " }Le seul choix possible est { $known }.
        [other] { " " }Choix possibles : { $known }.
       *[none] { "" }
    }
