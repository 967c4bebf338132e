### What the command line says: helps of options, what is printed, and the one sentence of an error.
help-vitrine = Serve Vitrine’s pages, add models or train them.
help-host = address to listen on (127.0.0.1, or VITRINE_HOST)
help-port = port to listen on (8000, or VITRINE_PORT); 0 takes a free one
help-embed = origins that may embed pages and read the API, comma-separated, for example https://lectures.example (nobody, or VITRINE_EMBED)
help-talks = a talk, or a folder of talks, for /lecture (the shipped ones, or VITRINE_TALKS)
help-engine = where answers are computed: embedded or ray (embedded, or VITRINE_ENGINE)
help-address = head of the Ray cluster, HOST:PORT (this machine alone, or VITRINE_ADDRESS)
help-replicas = number of replicas of the cluster (1, or VITRINE_REPLICAS)
help-open = open the page in a browser
help-of-train = retrain shipped models or experiments, or train a model on your own table
help-train-id = id of a model (model/weights) or experiment (model/results), or `table` and a file
help-train-all = every model, one after another; finished ones are only measured again
help-train-data = folder of the training texts (this one)
help-train-out = checkpoints and losses go to DIR/ID, weights to DIR/weights/ID (checkpoints)
help-train-seed = the same seed gives the same weights (0)
help-train-threads = number of processor threads (1); another number changes the last bits
help-train-stop-after = stop at this step; run again to continue
help-of-check = check that a talk’s addresses and numbers are still right
help-of-add = add your own model to all pages
help-add-model = a Hugging Face folder, or the name of a model on the Hub
help-add-name = name for the model (that of its folder)
help-of-remove = remove one of your models; its folder stays
help-remove-name = name of the model
help-of-serve = serve the pages (the default command)
help-of-list = list your own models
help-table-file = CSV file; its first line names the columns
help-table-target = column with the class of each row
help-table-architecture = ft, tab or saint: FT-Transformer, TabTransformer or SAINT (ft)
help-table-name = name for the model (that of its file)
help-table-drop = columns to leave out, comma-separated
help-table-categories = numeric columns to treat as categories, comma-separated
help-table-group = hold out rows with equal values in this column together, for example those of one day
help-table-rows = use only so many rows, drawn by --seed
help-table-steps = number of steps (depends on the number of rows)
help-table-encoding = encoding of the file (utf-8)
help-table-pretrain = pre-train: hide values and predict them (mask), or swap values between rows and detect it (replace); also trains without, to compare
help-check-talks = a file, a folder of files, or the name of a talk from /lecture
help-check-server = use a running server, for example http://127.0.0.1:8000, instead of starting one
help-of-table = train on your own table (vitrine train table FILE.csv --target COLUMN)
faults-found =
    { $n ->
        [one] { COUNT($n) } fault found.
       *[other] { COUNT($n) } faults found.
    }
all-as-stated =
    { $talk }: { $addresses ->
        [one] { COUNT($addresses) } address answers
       *[other] { COUNT($addresses) } addresses answer
    }, { $numbers ->
        [one] { COUNT($numbers) } number is
       *[other] { COUNT($numbers) } numbers are
    } as stated.
no-talk-in = There is no talk in { $folder }: talks are files ending in .toml.
no-file-and-no-talk = There is no file or talk named { $name }.
no-address-of-a-server = --server is { $address }: { give-an-address }.
give-an-address = give the address of a server, for instance http://127.0.0.1:8000
no-server-answers = No server answers at { $server }: { $why }. Start one with vitrine, or leave out --server.
no-vitrine = The server at { $server } is not Vitrine: { give-an-address }.
in-a-scene = scene { $scene }: { $why }
name-misspelt = { $path } has no { $name }; did you mean { $near }?
name-unknown = { $path } has no { $name }.
no-choice-of = { $path } has no { $name }={ $value }: use { EITHER($known) }.
no-figure = { $path } has no figure { $figure }: use one= with { EITHER($known) }.
whole-page = without one=, the frame shows the whole page of { $path }. Add { $join }one= and a figure: { EITHER($known) }.
another-number = { $name } is { NUMBER($found, most: 6) }, but the talk says { NUMBER($value, most: 6) } within { NUMBER($within, most: 6) }.
address-silent = { $address } does not answer: { $why }.
server-answers = The server answers { $code }.
address-refused = { $address } does not answer. { $why }
nothing-came = nothing came within { $seconds } seconds
no-http = the server does not speak HTTP
no-server-started = No server could be started for the check.
model-not-ready = The model of { $server } is not ready. { $why }
vitrine-is-at = Vitrine is at { $address } (stop with Ctrl+C)
others-reach-it-at = Phones and other computers reach it at { OR($addresses) }
takes-no-file = { $id } takes no file; use vitrine train table FILE.csv.
training-needs = Training needs { $module }: pip install 'vitrine-lab[train]'.
results-are-in = The results are in { $folder }.
stopped-in-a-cycle = Stopped before the end of the last cycle. Run the same command to continue from { $folder }.
weights-are-in = The weights and their card are in { $folder }.
model-is-added = { $name } is added. Its weights stay in { $folder }.
no-model-of-yours = You have not added a model yet: use vitrine add FOLDER.
table-is-removed = { $name } is removed.
model-is-removed = { table-is-removed } Its folder is unchanged.
no-such-folder = There is no folder { $folder }.
fetching-needs-hub = There is no folder { $name }; to fetch it from the Hub, pip install 'vitrine-lab[hub]'.
hub-not-reached = There is no folder { $name }, and the Hub can’t be reached.
not-on-the-hub = There is no folder { $name }, and the Hub has no open model of this name.
not-fetched = Model { $name } could not be fetched: { $why }.
no-number-from-1 = { QUOTED($given) } is not a whole number of at least 1
table-needs-file-and-target = Give a file and its class column: vitrine train table FILE.csv --target COLUMN.
table-needs-scikit-learn = Training on a table needs scikit-learn: pip install scikit-learn.
stopped-before-the-last-step = Stopped before the last step. Run the same command to continue.
measured = { DECIMALS($value, most: 3) } ({ DECIMALS($low, most: 3) } to { DECIMALS($high, most: 3) })
table-is-trained = The model is in { $folder }. vitrine shows it: /tables?model={ $name }
no-origin = { $given } is not an origin: write scheme, name and port only, for example https://lectures.example.
every-address = every address
names-needed = To listen on { $address }, set VITRINE_HOSTS to the server’s names, comma-separated.
not-written = { $file }: { $why }.
settings-contradict = { $why }.
setting-is-wrong = { $name } is { $value }, but { $why }.
not-on-windows = Vitrine needs Linux or macOS. On Windows, use the Windows Subsystem for Linux (wsl --install).
engine-needs-ray = The engine ray needs Ray: pip install 'vitrine-lab[cluster]'.
folder-missing = The folder { $folder } is missing. { install-again }
install-again = Install Vitrine again.
no-right-to-read = { $path } can’t be read. Give this user permission to read it.
no-weights-in = There are no weights in { $folder }. { install-again }
model-not-whole = Model { $model } is incomplete: { $file } is missing. { install-again }
model-damaged = Model { $model } is damaged: { $file } does not match its card’s SHA-256 digest. { install-again }
card-damaged = The card { $card } is damaged. { install-again }
address-unknown = This machine does not know the address { $host }. Use --host 127.0.0.1.
cannot-listen =
    { $reason ->
       *[other] { $host }:{ $port } can’t be used: { $error }.
        [in-use] Port { $port } on { $host } is in use. Choose another with --port, or --port 0 for any free one.
        [rights] Port { $port } needs administrator rights. Choose one of 1024 or above with --port.
        [elsewhere] { $host } is not an address of this machine. Use --host 127.0.0.1.
    }
