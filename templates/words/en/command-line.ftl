### What the command line says: helps of options, what is printed, and the one sentence of an error.
help-vitrine = The command `vitrine`. It serves the pages, adds models, or trains one.
help-host = address to listen on (127.0.0.1, or VITRINE_HOST)
help-port = port to listen on (8000, or VITRINE_PORT); 0 takes a free one
help-embed = who may show pages and figures in a frame and read the API, for instance https://lectures.example, with commas between (nobody, or VITRINE_EMBED)
help-talks = a talk, or a folder of talks, for /lecture (only the shipped ones, or VITRINE_TALKS)
help-engine = embedded or ray: where answers are computed (embedded, or VITRINE_ENGINE)
help-address = the Ray cluster's head, HOST:PORT (one on this machine alone, or VITRINE_ADDRESS)
help-replicas = how many replicas the cluster has (1, or VITRINE_REPLICAS)
help-open = open the page in a browser
help-of-train = train shipped models, or what experiments compare, again
help-train-id = which one: its id, as in model/weights or model/results; or `table`, with a file
help-train-all = every model, one after another; what is done already is only measured again
help-train-data = folder that holds the training texts (this one)
help-train-out = DIR/ID gets checkpoint and losses, DIR/weights/ID the weights (checkpoints)
help-train-seed = the same seed gives the same weights (0)
help-train-threads = threads of the processor (1); another number, other last bits
help-train-stop-after = stop at this step; the next call goes on from there
help-of-check = whether the addresses and the numbers of a talk are still so
help-of-add = add a model of yours, which every page then shows
help-add-model = a folder as Hugging Face writes it, or a name there, which is fetched
help-add-name = what it is called here (after its folder)
help-of-remove = take a model of yours off; its folder stays
help-remove-name = what it is called here
help-of-serve = serve the pages (what happens without a command)
help-of-list = tell which models of yours there are
help-table-file = its first line names the columns
help-table-target = the column that names the class of a row
help-table-architecture = ft, tab or saint: FT-Transformer, TabTransformer or SAINT (ft)
help-table-name = what the model is called here (after its file)
help-table-drop = columns to leave out, with commas between
help-table-categories = columns of numbers that are read as categories, with commas between
help-table-group = rows that agree in this column are held out together, for instance those of one day
help-table-rows = learn from so many rows, drawn by --seed
help-table-steps = so many steps (by the number of rows)
help-table-encoding = how the file is written (utf-8)
help-table-pretrain = first hide values and read them back (mask), or exchange values for those of other rows and tell which (replace); also trains without, to say what it gained
help-check-talks = a file, a folder of files, or the name of a talk that /lecture lists
help-check-server = ask a server that runs, for instance http://127.0.0.1:8000, and start none
help-of-table = a table of your own (vitrine train table FILE.csv --target COLUMN)
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
no-talk-in = There is no talk in { $folder }: the name of its file ends in .toml.
no-file-and-no-talk = There is no file { $name }, and no talk of this name.
no-address-of-a-server = --server is { $address }: { give-an-address }.
give-an-address = give the address of a server, for instance http://127.0.0.1:8000
no-server-answers = No server answers at { $server }: { $why }. Start one with vitrine, or leave --server out.
no-vitrine = What answers at { $server } is no Vitrine: { give-an-address }.
in-a-scene = scene { $scene }: { $why }
name-misspelt = { $path } does not know { $name }; did you mean { $near }?
name-unknown = { $path } does not know { $name }.
no-choice-of = { $name }={ $value } is no choice of { $path }: it has { EITHER($known) }.
no-figure = { $path } has no figure { $figure }: write one= with { EITHER($known) }.
whole-page = without one= the frame holds the whole page of { $path }. Write { $join }one= behind the address, with the name of a figure: { EITHER($known) }.
another-number = { $name } is { NUMBER($found, most: 6) }, and the talk says { NUMBER($value, most: 6) } within { NUMBER($within, most: 6) }.
address-silent = { $address } does not answer: { $why }.
server-answers = The server answers { $code }.
address-refused = { $address } does not answer. { $why }
nothing-came = nothing came within { $seconds } seconds
no-http = what answers speaks no HTTP
no-server-started = No server could be started to ask.
model-not-ready = The model of { $server } is not ready. { $why }
vitrine-is-at = Vitrine is at { $address } (stop with Ctrl+C)
others-reach-it-at = Phones and other computers reach it at { OR($addresses) }
takes-no-file = { $id } takes no file; vitrine train table FILE.csv does.
training-needs = Training needs { $module }, which is not installed: pip install 'vitrine[train]'.
results-are-in = The results are in { $folder }.
stopped-in-a-cycle = Stopped before the end of the last cycle. The same command goes on from the checkpoint in { $folder }.
weights-are-in = The weights and their card are in { $folder }.
model-is-added = { $name } is added. Its weights stay in { $folder }.
no-model-of-yours = No model of yours is added: vitrine add FOLDER adds one.
table-is-removed = { $name } is removed.
model-is-removed = { table-is-removed } Its folder stays as it is.
no-such-folder = There is no folder { $folder }.
fetching-needs-hub = There is no folder { $name }, and fetching a model of this name needs huggingface_hub, which is not installed: pip install 'vitrine[hub]'.
hub-not-reached = There is no folder { $name }, and the Hub cannot be reached.
not-on-the-hub = There is no folder { $name }, and the Hub has no open model of this name.
not-fetched = The model { $name } could not be fetched: { $why }.
no-number-from-1 = { QUOTED($given) } is no number from 1 on
table-needs-file-and-target = vitrine train table needs a file and the column of classes: vitrine train table FILE.csv --target COLUMN.
table-needs-scikit-learn = Training on a table needs scikit-learn, which is not installed: pip install scikit-learn.
stopped-before-the-last-step = Stopped before the last step. The same command goes on from the checkpoint.
measured = { DECIMALS($value, most: 3) } ({ DECIMALS($low, most: 3) } to { DECIMALS($high, most: 3) })
table-is-trained = The model is in { $folder }. vitrine shows it: /tables?model={ $name }
no-origin = { $given } is no origin. Write each as scheme and name, with its port if it has one and no path, for instance https://lectures.example.
every-address = every address
names-needed = Listening on { $address } needs VITRINE_HOSTS: the names the server is called by, with commas between.
not-written = { $file }: { $why }.
settings-contradict = { $why }.
setting-is-wrong = { $name } is { $value }, but { $why }.
not-on-windows = Vitrine runs on Linux and macOS. On Windows, install the Windows Subsystem for Linux (wsl --install) and run the same commands there.
engine-needs-ray = The engine ray needs Ray, which is not installed: pip install 'vitrine[cluster]'.
folder-missing = The folder { $folder } is missing. { install-again }
install-again = Install Vitrine again.
no-right-to-read = { $path } cannot be read. Give this user the right to read it.
no-weights-in = There are no weights in { $folder }. { install-again }
model-not-whole = The model { $model } is not whole: { $file } does not exist. { install-again }
model-damaged = The model { $model } is damaged: { $file } has not the SHA-256 digest on its card. { install-again }
card-damaged = The card { $card } is damaged. { install-again }
address-unknown = This machine does not know the address { $host }. Use --host 127.0.0.1.
cannot-listen =
    { $reason ->
       *[other] { $host }:{ $port } cannot be used: { $error }.
        [in-use] Port { $port } is in use on { $host }. Choose another with --port, or --port 0 for any free one.
        [rights] Port { $port } needs rights that this user does not have. Choose one of 1024 or above with --port.
        [elsewhere] { $host } is not an address of this machine. Use --host 127.0.0.1.
    }
