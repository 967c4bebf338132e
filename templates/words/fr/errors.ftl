### Ce que dit le serveur quand il n’a pas de réponse : titres, détails et conseils.
title-bad_request = Requête HTTP invalide
title-host = Nom d’hôte inconnu
title-origin = Requête d’un autre site
title-token = Réservé à l’enseignant de la salle
title-unknown = Introuvable
title-method = Méthode non autorisée
title-slow = La requête est arrivée trop lentement
title-too_large = Le corps de la requête est trop grand
title-media_type = Le corps de la requête n’est pas du JSON
title-invalid = Cette question n’a pas de réponse
title-too_many = Trop de requêtes à la fois
title-head_too_large = L’adresse et les en-têtes sont trop longs
title-failure = Erreur du serveur
title-busy = Le serveur est occupé
title-warming = Le modèle démarre
title-too_slow = La réponse prend trop de temps
title-full = Le disque est plein

## app
fault-of-the-server = Une erreur s’est produite dans le serveur. Son journal en donne les détails sous { $id }.
too-much-on-its-way-to-you = { $bytes } octets de grandes réponses sont encore en route vers vous. Attendez-les d’abord.
too-much-on-its-way = Le serveur envoie trop de grandes réponses. Réessayez plus tard.

## app/api
training-not-begun = Cet entraînement n’a pas commencé. Envoyez les mêmes champs par POST pour le lancer.
client-has-left = Le client s’est déconnecté.
too-much-work =
    Le calcul prendrait environ { NUMBER($seconds, most: 3) } s sur un cœur ; la limite est { $most } s. { $hint }{ $trains ->
       *[False] { "" }
        [True] { " " }Un flux d’événements peut durer plus longtemps.
    }
ask-with = Prenez `{ $name }={ $choice }`.
no-smaller-question-fits = Même la plus petite question est trop grande : la limite `work_seconds` du serveur est trop basse.
lower-it = Baissez `{ $name }`, qui vaut { $value }.
half-the-work = { $how } Le calcul en sera au moins deux fois plus court.
leave-out = Retirez `{ $name }`.
shorten-to = Raccourcissez `{ $name }` de { $n } à { $to } caractères ou moins.
lower-the-largest = Baissez la plus grande valeur de `{ $name }` de { $value } à { $to } ou moins.
lower-to = Baissez `{ $name }` de { $value } à { $to } ou moins.
name-numbers = Donnez de 1 à { $most } nombres, comme dans decoder.0.attention.q-1-3-5*encoder.norm.out-3-0.
length-of-a-trail = Le chemin a { $n } nombres. { name-numbers }
too-many-streams-of-yours = Vous avez { $n } flux ouverts, le maximum. Fermez-en un d’abord.
fields-in-the-address-of-a-post = Envoyez les champs d’un POST dans le corps, pas dans l’adresse.
in-the-path-already = `{ $name }` est déjà dans le chemin : retirez-le de la question.
address-not-utf-8 = L’adresse n’est pas en UTF-8 : encodez-la en UTF-8.
body-compressed = Le corps est compressé ({ $encoding }). Envoyez-le sans compression, sans Content-Encoding.
body-of-no-type = Envoyez le corps en application/json ; son type de contenu manque.
body-of-another-type = Envoyez le corps en application/json, pas en { $type }.
body-not-utf-8 = Le corps n’est pas en UTF-8 : encodez-le en UTF-8.
body-no-json = Le corps n’est pas du JSON : { $why }.
body-no-object = Le corps doit être un objet JSON dont les clés sont des champs.
too-many-fields = Trop de champs : la limite est ici { $limit }.
and-more =
    { $first } Il y a { $n ->
        [one] { $n } autre erreur
       *[other] { $n } autres erreurs
    }.
no-field-within = `{ $within }` n’a pas de champ `{ $leaf }` : retirez-le.
no-field-but-near = Il n’y a pas ici de champ `{ $name }`. Vouliez-vous dire { $known } ?
no-field-here = Il n’y a pas ici de champ `{ $name }`. Les champs sont : { $known }.
field-missing = `{ $name }` manque : ajoutez-le à la question.
half-a-character = `{ $name }` contient un caractère invalide (une moitié de paire de substitution).
must-be-within =
    `{ $name }` doit être { $bound ->
       *[less_than_equal] inférieur ou égal à { $limit }
        [less_than] inférieur à { $limit }
        [greater_than_equal] supérieur ou égal à { $limit }
        [greater_than] supérieur à { $limit }
    } ; valeur reçue : { $given }.
must-be-of-length =
    `{ $name }` doit avoir { $code ->
       *[string_too_long] au plus { $limit } caractères
        [string_too_short] au moins { $limit } caractères
        [too_long] au plus { $limit } éléments
        [too_short] au moins { $limit } éléments
    } ; nombre reçu : { $given }.
must-be-one-of = `{ $name }` doit être { EITHER($limit) } ; valeur reçue : { $given }.
no-numbers = `{ $name }` : donnez un nombre, ou des listes de nombres ; valeur reçue : { $given }.
must-be-of-type =
    `{ $name }` doit être { $kind ->
       *[int] un nombre entier
        [float] un nombre
        [finite] un nombre fini
        [bool] true ou false
        [string] un texte
        [list] une liste, avec des virgules entre ses éléments
        [dict] un objet JSON
        [model] un objet JSON
    } ; valeur reçue : { $given }.
wrong-otherwise = `{ $name }` : { $why } ; valeur reçue : { $given }.

## app/api/endpoints
measurements-in-time = Pas de réponse en { $seconds } s, mais { $n } mesures sur { $of } sont faites. Reposez bientôt la question.
no-such-scene = `scene` doit être inférieur à { $limit } ; valeur reçue : { $given }.
zoom-too-large = `zoom` peut avoir { $limit } octets en JSON ; celui-ci en a { $given }.
no-such-talk = Il n’y a pas d’exposé { QUOTED($talk) }.
no-page-of-explore = { $path } n’est pas une page : choisissez-en une dans Explorer.
no-such-choice = `choice` doit valoir au plus { $limit } ; valeur reçue : { $given }.
too-many-votes-for-now = { too-many-votes } : réessayez dans un moment.
too-many-votes = Trop de votes sont déjà enregistrés
page-asks-nothing = La page { QUOTED($page) } ne pose pas de question : prenez-en une autre, par exemple norms.

## app/compute
ray-is-starting-at = Ray démarre à l’adresse { $address }, ce qui prend environ une minute.
ray-is-starting = Ray démarre, ce qui prend environ une minute.
too-many-questions-of-yours = { $n } de vos questions attendent. Attendez-les d’abord.
questions-ahead =
    { $n ->
        [one] { $n } question passe
       *[other] { $n } questions passent
    } avant la vôtre, qui demanderait environ { DECIMALS($seconds, most: 1) } s ; la limite est { $most } s.
no-answer-in-time = { in-time }.
in-time = Pas de réponse en { $seconds } s
waited-most-of-it = { in-time }, dont { DECIMALS($waited, most: 1) } s dans la file d’attente. Reposez la même question.
goes-on = { in-time }. Le calcul continue ; reposez la même question dans un moment.
goes-on-from = { in-time }. Le calcul continue ({ DECIMALS($done, most: 0) } % faits) ; reposez la même question dans un moment.
takes-too-long = Ce calcul prend plus de { $seconds } s.
too-many-computations = { $n } longs calculs sont en cours, le maximum. Réessayez plus tard.
process-ended = Le processus de calcul s’est arrêté pendant cette question ; un nouveau démarre.
model-is-loading = Le chargement du modèle demande encore environ { DECIMALS($seconds, most: 0) } s.
too-many-streams =
    On ne peut pas ouvrir un autre flux { $share ->
       *[all] pour l’instant
        [address] depuis votre adresse
    } ; la limite est { $most } en tout.
server-is-stopping = Le serveur s’arrête.
too-many-trainings = Un entraînement est en cours et { $n } attendent ; la limite est { $most }.
too-many-trainings-of-yours = Vous avez déjà { $most } entraînements en cours ou en attente, le maximum.
too-many-trainings-of-your-address = Trop d’entraînements sont en cours ou en attente depuis votre adresse.
no-room-for-a-step = Le disque est plein dans { $folder }. Libérez de la place ; l’entraînement reprendra après l’étape { $step }.
steps-not-written = Les étapes de l’entraînement ne peuvent pas être écrites dans { $folder }. Donnez un autre dossier dans VITRINE_RUNS.
network-diverged = Un réseau a divergé : sa perte n’est pas un nombre. Baissez le taux d’apprentissage maximal, retirez des couches ou ajoutez une norme.
training-process-ended = Le processus d’entraînement s’est arrêté. Reposez la question pour reprendre après sa dernière étape.
answer-too-large = La réponse peut peser { DECIMALS($size, most: 1) } Mo ; la limite est { DECIMALS($most, most: 1) } Mo.

## app/http
method-not-allowed = { $method } n’est pas autorisé ici ; méthodes possibles : { $allowed }.
of-the-library = { $detail }.
nothing-there =
    Il n’y a rien à { $path }.{ $n ->
        [0] { "" }
       *[one] { " " }Vouliez-vous dire { $near } ?
        [other] { " " }Vouliez-vous dire { $near } ?
    }
two-lengths = Envoyez Content-Length ou Transfer-Encoding, pas les deux.
too-many-chunks = Le corps a plus de { $most } morceaux (chunks). Envoyez-les plus grands.
connections-of-your-address = Votre adresse a déjà { $n } connexions ouvertes. Fermez-en d’abord.
connections-open = Le serveur a déjà { $n } connexions ouvertes. Réessayez plus tard.
request-too-slow =
    { $part ->
       *[head] Les en-têtes de la requête ne sont pas arrivés en { $seconds } s.
        [body] Le corps de la requête n’est pas arrivé en { $seconds } s.
    }
head-too-large = L’adresse et les en-têtes peuvent avoir ensemble { $most } octets au plus.
no-request-of-http = Ce n’est pas une requête HTTP.
address-without-password = Prenez l’adresse complète de ce serveur, qui commence par un mot de passe.
nothing = (vide)
host-not-known = Ce serveur ne répond pas au nom { $given }. Ajoutez le nom à VITRINE_HOSTS.
read-by-another-site = Un autre site peut lire cette API seulement si VITRINE_EMBED nomme son origine.
sent-by-another-site = { $method } n’est pas accepté depuis un autre site.
body-too-large = Le corps a { $bytes } octets ; la limite est { $most }.

## app/lecture
votes-are-lost = Les votes ne peuvent pas être enregistrés dans { $folder } : ils seront perdus si le serveur s’arrête.
another-server-writes = Un autre serveur utilise le même dossier.
nothing-written = On ne peut pas écrire dans { $folder } : { INSIDE($why) }. Libérez-y de la place.
too-many-rooms-of-yours = Vous avez déjà { $n } salles ouvertes. Fermez-en une d’abord.
too-many-rooms-of-your-address = Votre adresse utilise déjà { $n } salles, le maximum.
too-many-rooms = Les { $n } salles sont occupées. Réessayez plus tard.
no-such-room = Il n’y a pas de salle { QUOTED($room) }. Une salle ferme { $hours } heures après le dernier passage de son enseignant.
not-the-token = Le jeton est faux : seul l’enseignant de la salle le possède.
too-many-lead = Cette salle est déjà dirigée depuis { $most } fenêtres, le maximum.
you-follow-too-many = Vous suivez déjà des salles dans { $most } fenêtres. Fermez-en une d’abord.
too-many-follow =
    { $n } fenêtres { $share ->
       *[all] suivent
        [address] de votre adresse suivent
    } déjà des salles ici, le maximum. Fermez-en une d’abord.
room-has-ended = La salle { $room } est fermée.
no-question-open = Aucune question n’est ouverte. Attendez la prochaine.
choices-there-are = Il y a { $most } choix, comptés à partir de 0.
too-many-votes-in-a-round = { too-many-votes }.
one-after-another = { SPACED($steps) }
number-misspelt = { $word } n’a pas de nombre à { $place } ; vouliez-vous dire { $near } ?
no-number-at = { $word } n’a pas de nombre à { $place }.
choices-without-question = il y a des choix mais pas de question
number-of-choices = une question a de 2 à { $most } choix
choices-the-same = deux des choix sont identiques
right-is-no-choice = la bonne réponse { QUOTED($right) } n’est pas parmi les choix
signs-of-a-file-name = le nom du fichier peut contenir uniquement a à z, 0 à 9, - et _
minutes-do-not-add-up = les scènes prennent { $scenes } minutes, mais l’exposé en annonce { $talk }
talk-not-read = Impossible de lire { $file } : { $why }.
talk-too-large = { $file } a { $n } octets ; un exposé peut en avoir { $most }.
talk-not-utf-8 = { $file } n’est pas en UTF-8 : enregistrez-le en UTF-8.
talk-not-toml = { $file } n’est pas du TOML : { $why }.
talk-with-id = { $file } : retirez `id`. Un exposé porte le nom de son fichier.
did-you-mean = vouliez-vous dire { $known } ?
keys-there-are = ses clés sont { $known }.
no-key = cette clé n’existe pas ; { $why }
key-is-missing = cette clé manque.
wrong-in-talk =
    { $file } : { $scene ->
        [0] { "" }
        [one] scène { $scene }
       *[other] scène { $scene }
    }{ $place } : { $why }
wrong-as-a-whole = { $file } : { $why }
is-a-list = il faut une liste : de tables, chacune sous un titre [[scene]], ou de textes.
of-another-form =
    { $value } n’est pas { $form ->
       *[line] un texte d’une ligne
        [address] un chemin sans nom de serveur, ni espace, ni #, par exemple /attention?layer=2&one=map
        [place] un point d’accès de l’API avec ses paramètres, # et un résultat ou un pointeur JSON, par exemple kv-cache#saved
    }.

## app/schema
no-json-number = { $name } n’est pas un nombre JSON
json-of-too-many-values = Le JSON contient plus de { $limit } valeurs.
json-too-deep = Le JSON s’emboîte sur plus de { $limit } niveaux.
half-a-character-in-a-name = Un nom de champ contient un caractère invalide (une moitié de paire de substitution).
given-several-times = `{ $name }` est donné { $n } fois ; donnez-le une fois.
narrow-names = Demandez dans `names` les seuls tenseurs dont vous avez besoin.
narrow-fields = Demandez dans `fields` les seuls champs dont vous avez besoin.
narrow-layer = Demandez une seule couche (`layer`).
narrow-head = Demandez une seule tête (`head`).
narrow-step = Demandez une seule étape (`step`).
narrow-full = Retirez `full` : il envoie tout le vocabulaire.
narrow-lens = Retirez `lens`.
narrow-encoding = Prenez `encoding=base64` : il occupe deux fois moins d’octets.

## app/worker
edits-too-expensive =
    Ces modifications coûteraient environ { NUMBER($price, most: 3) } { $code ->
       *[too_much_work] s sur un cœur
        [too_much_memory] Mo de mémoire
    } ; la limite est { NUMBER($most, most: 3) }. Réduisez le nombre de modifications ou d’activations dans `at`, ou raccourcissez l’entrée.
