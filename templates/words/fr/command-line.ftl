### Ce que dit la ligne de commande : l’aide des options, ce qui s’affiche, et l’unique phrase d’une erreur.
help-vitrine = Sert les pages de Vitrine, ajoute des modèles, ou les entraîne.
help-host = adresse d’écoute (127.0.0.1, ou VITRINE_HOST)
help-port = port d’écoute (8000, ou VITRINE_PORT) ; 0 prend un port libre
help-embed = origines qui peuvent intégrer des pages et lire l’API, séparées par des virgules, par exemple https://lectures.example (personne, ou VITRINE_EMBED)
help-talks = un exposé, ou un dossier d’exposés, pour /lecture (ceux qui sont fournis, ou VITRINE_TALKS)
help-engine = où se font les calculs : embedded ou ray (embedded, ou VITRINE_ENGINE)
help-address = nœud de tête du cluster Ray, HÔTE:PORT (cette machine seule, ou VITRINE_ADDRESS)
help-replicas = nombre de répliques du cluster (1, ou VITRINE_REPLICAS)
help-open = ouvre la page dans un navigateur
help-of-train = entraîne de nouveau des modèles fournis ou des expériences, ou un tableau à vous
help-train-id = identifiant d’un modèle (model/weights) ou d’une expérience (model/results), ou `table` et un fichier
help-train-all = tous les modèles, l’un après l’autre ; ceux qui sont finis sont seulement mesurés de nouveau
help-train-data = dossier des textes d’entraînement (le dossier courant)
help-train-out = points de sauvegarde et pertes vont dans DIR/ID, les poids dans DIR/weights/ID (checkpoints)
help-train-seed = la même graine donne les mêmes poids (0)
help-train-threads = nombre de fils d’exécution (1) ; un autre nombre change les derniers bits
help-train-stop-after = s’arrête à cette étape ; relancez pour continuer
help-of-check = vérifie que les adresses et les nombres d’un exposé sont encore justes
help-of-add = ajoute votre propre modèle à toutes les pages
help-add-model = un dossier Hugging Face, ou le nom d’un modèle du Hub
help-add-name = nom du modèle (celui de son dossier)
help-of-remove = retire l’un de vos modèles ; son dossier reste
help-remove-name = nom du modèle
help-of-serve = sert les pages (la commande par défaut)
help-of-list = liste vos propres modèles
help-table-file = fichier CSV ; sa première ligne nomme les colonnes
help-table-target = colonne qui donne la classe de chaque ligne
help-table-architecture = ft, tab ou saint : FT-Transformer, TabTransformer ou SAINT (ft)
help-table-name = nom du modèle (celui de son fichier)
help-table-drop = colonnes à écarter, séparées par des virgules
help-table-categories = colonnes de nombres à traiter comme des catégories, séparées par des virgules
help-table-group = garde dans la même partie les lignes qui ont la même valeur dans cette colonne, par exemple celles d’un même jour
help-table-rows = prend seulement ce nombre de lignes, tirées avec --seed
help-table-steps = nombre d’étapes (dépend du nombre de lignes)
help-table-encoding = encodage du fichier (utf-8)
help-table-pretrain = pré-entraîne : cache des valeurs et les prédit (mask), ou en échange entre lignes et les repère (replace) ; entraîne aussi sans, pour comparer
help-check-talks = un fichier, un dossier de fichiers, ou le nom d’un exposé de /lecture
help-check-server = utilise un serveur déjà lancé, par exemple http://127.0.0.1:8000, au lieu d’en démarrer un
help-of-table = entraîne sur votre propre tableau (vitrine train table FILE.csv --target COLUMN)
faults-found =
    { $n ->
        [one] { COUNT($n) } erreur trouvée.
       *[other] { COUNT($n) } erreurs trouvées.
    }
all-as-stated =
    { $talk } : { $addresses ->
        [one] { COUNT($addresses) } adresse répond
       *[other] { COUNT($addresses) } adresses répondent
    }, { $numbers ->
        [one] { COUNT($numbers) } nombre est conforme
       *[other] { COUNT($numbers) } nombres sont conformes
    }.
no-talk-in = Il n’y a pas d’exposé dans { $folder } : les exposés sont des fichiers en .toml.
no-file-and-no-talk = Aucun fichier ni exposé ne s’appelle { $name }.
no-address-of-a-server = --server vaut { $address } : { give-an-address }.
give-an-address = donnez l’adresse d’un serveur, par exemple http://127.0.0.1:8000
no-server-answers = Aucun serveur ne répond à { $server } : { $why }. Démarrez-en un avec vitrine, ou retirez --server.
no-vitrine = Le serveur à { $server } n’est pas Vitrine : { give-an-address }.
in-a-scene = scène { $scene } : { $why }
name-misspelt = { $path } n’a pas de { $name } ; vouliez-vous dire { $near } ?
name-unknown = { $path } n’a pas de { $name }.
no-choice-of = { $path } n’a pas de { $name }={ $value } : prenez { EITHER($known) }.
no-figure = { $path } n’a pas de figure { $figure } : écrivez one= avec { EITHER($known) }.
whole-page = sans one=, le cadre montre toute la page { $path }. Ajoutez { $join }one= et une figure : { EITHER($known) }.
another-number = { $name } vaut { NUMBER($found, most: 6) }, mais l’exposé dit { NUMBER($value, most: 6) } à { NUMBER($within, most: 6) } près.
address-silent = { $address } ne répond pas : { $why }.
server-answers = Le serveur répond { $code }.
address-refused = { $address } ne répond pas. { $why }
nothing-came = rien n’est venu en { $seconds } secondes
no-http = le serveur ne parle pas HTTP
no-server-started = Aucun serveur n’a pu démarrer pour la vérification.
model-not-ready = Le modèle de { $server } n’est pas prêt. { $why }
vitrine-is-at = Vitrine est à l’adresse { $address } (arrêtez avec Ctrl+C)
others-reach-it-at = Téléphones et autres ordinateurs y accèdent par { OR($addresses) }
takes-no-file = { $id } ne prend pas de fichier ; lancez vitrine train table FILE.csv.
training-needs = L’entraînement demande { $module } : pip install 'vitrine-lab[train]'.
results-are-in = Les résultats sont dans { $folder }.
stopped-in-a-cycle = Arrêt avant la fin du dernier cycle. Relancez la même commande pour continuer à partir de { $folder }.
weights-are-in = Les poids et leur fiche sont dans { $folder }.
model-is-added = { $name } est ajouté. Ses poids restent dans { $folder }.
no-model-of-yours = Vous n’avez pas encore ajouté de modèle : lancez vitrine add DOSSIER.
table-is-removed = { $name } est retiré.
model-is-removed = { table-is-removed } Son dossier est inchangé.
no-such-folder = Il n’y a pas de dossier { $folder }.
fetching-needs-hub = Il n’y a pas de dossier { $name } ; pour le chercher sur le Hub, pip install 'vitrine-lab[hub]'.
hub-not-reached = Il n’y a pas de dossier { $name }, et le Hub est injoignable.
not-on-the-hub = Il n’y a pas de dossier { $name }, ni de modèle ouvert de ce nom sur le Hub.
not-fetched = Le modèle { $name } n’a pas pu être téléchargé : { $why }.
no-number-from-1 = { QUOTED($given) } n’est pas un nombre entier d’au moins 1
table-needs-file-and-target = Donnez un fichier et sa colonne de classes : vitrine train table FILE.csv --target COLUMN.
table-needs-scikit-learn = Entraîner sur un tableau demande scikit-learn : pip install scikit-learn.
stopped-before-the-last-step = Arrêt avant la dernière étape. Relancez la même commande pour continuer.
measured = { DECIMALS($value, most: 3) } ({ DECIMALS($low, most: 3) } à { DECIMALS($high, most: 3) })
table-is-trained = Le modèle est dans { $folder }. vitrine le montre : /tables?model={ $name }
no-origin = { $given } n’est pas une origine : écrivez seulement schéma, nom et port, par exemple https://lectures.example.
every-address = toutes les adresses
names-needed = Pour écouter sur { $address }, donnez dans VITRINE_HOSTS les noms du serveur, séparés par des virgules.
not-written = { $file } : { $why }.
settings-contradict = { $why }.
setting-is-wrong = { $name } vaut { $value }, mais { $why }.
not-on-windows = Vitrine demande Linux ou macOS. Sous Windows, passez par le sous-système Windows pour Linux (wsl --install).
engine-needs-ray = Le moteur ray demande Ray : pip install 'vitrine-lab[cluster]'.
folder-missing = Le dossier { $folder } manque. { install-again }
install-again = Réinstallez Vitrine.
no-right-to-read = { $path } est illisible. Donnez à cet utilisateur le droit de le lire.
no-weights-in = Il n’y a pas de poids dans { $folder }. { install-again }
model-not-whole = Le modèle { $model } est incomplet : { $file } manque. { install-again }
model-damaged = Le modèle { $model } est abîmé : { $file } ne correspond pas à l’empreinte SHA-256 de sa fiche. { install-again }
card-damaged = La fiche { $card } est abîmée. { install-again }
address-unknown = Cette machine ne connaît pas l’adresse { $host }. Mettez --host 127.0.0.1.
cannot-listen =
    { $reason ->
       *[other] { $host }:{ $port } est inutilisable : { $error }.
        [in-use] Le port { $port } de { $host } est déjà pris. Choisissez-en un autre avec --port, ou --port 0 pour un port libre.
        [rights] Le port { $port } demande des droits d’administrateur. Choisissez-en un à partir de 1024 avec --port.
        [elsewhere] { $host } n’est pas une adresse de cette machine. Mettez --host 127.0.0.1.
    }
