### What the server says where it has no answer: titles, details and hints of problems.
title-bad_request = Invalid HTTP request
title-host = Unknown host name
title-origin = Request from another site
title-token = Only the room’s lecturer can do this
title-unknown = Not found
title-method = Method not allowed
title-slow = The request arrived too slowly
title-too_large = The request body is too large
title-media_type = The request body is not JSON
title-invalid = This question can’t be answered
title-too_many = Too many requests at once
title-head_too_large = Address and headers are too long
title-failure = Server error
title-busy = The server is busy
title-warming = The model is warming up
title-too_slow = The answer takes too long
title-full = The disk is full

## app
fault-of-the-server = The server failed. Its log has the details under { $id }.
too-much-on-its-way-to-you = { $bytes } bytes of large answers are still on their way to you. Wait for them first.
too-much-on-its-way = The server is sending too many large answers. Try again later.

## app/api
training-not-begun = This training has not started. POST the same fields to start it.
client-has-left = The client disconnected.
too-much-work =
    This would take about { NUMBER($seconds, most: 3) } s on one core; the limit is { $most } s. { $hint }{ $trains ->
       *[False] { "" }
        [True] { " " }An event stream may take longer.
    }
ask-with = Use `{ $name }={ $choice }`.
no-smaller-question-fits = Even the smallest question is too large: the server’s limit `work_seconds` is too low.
lower-it = Lower `{ $name }` from { $value }.
half-the-work = { $how } That at least halves the work.
leave-out = Leave out `{ $name }`.
shorten-to = Shorten `{ $name }` from { $n } characters to { $to } or fewer.
lower-the-largest = Lower the largest of `{ $name }` from { $value } to { $to } or less.
lower-to = Lower `{ $name }` from { $value } to { $to } or less.
name-numbers = Give 1 to { $most } numbers, as in decoder.0.attention.q-1-3-5*encoder.norm.out-3-0.
length-of-a-trail = The trail has { $n } numbers. { name-numbers }
too-many-streams-of-yours = You have { $n } open streams, the maximum. Close one first.
fields-in-the-address-of-a-post = Send the fields of a POST in its body, not in the address.
in-the-path-already = `{ $name }` is already in the path: leave it out of the question.
address-not-utf-8 = The address is not UTF-8: encode it as UTF-8.
body-compressed = The body is compressed ({ $encoding }). Send it uncompressed, without Content-Encoding.
body-of-no-type = Send the body as application/json; its content type is missing.
body-of-another-type = Send the body as application/json, not as { $type }.
body-not-utf-8 = The body is not UTF-8: encode it as UTF-8.
body-no-json = The body is not JSON: { $why }.
body-no-object = The body must be a JSON object of fields.
too-many-fields = Too many fields: at most { $limit } can be given here.
and-more = { $first } And { $n } more.
no-field-within = `{ $within }` has no field `{ $leaf }`: leave it out.
no-field-but-near = There is no field `{ $name }` here. Did you mean { $known }?
no-field-here = There is no field `{ $name }` here. The fields are: { $known }.
field-missing = `{ $name }` is missing: add it to the question.
half-a-character = `{ $name }` contains an invalid character (half a surrogate pair).
must-be-within =
    `{ $name }` must be { $bound ->
       *[less_than_equal] at most { $limit }
        [less_than] less than { $limit }
        [greater_than_equal] at least { $limit }
        [greater_than] more than { $limit }
    }; { $given } was given.
must-be-of-length =
    `{ $name }` must have { $code ->
       *[string_too_long] at most { $limit } characters
        [string_too_short] at least { $limit } characters
        [too_long] at most { $limit } entries
        [too_short] at least { $limit } entries
    }; { $given } were given.
must-be-one-of = `{ $name }` must be { EITHER($limit) }; { $given } was given.
no-numbers = `{ $name }`: give a number, or lists of numbers; { $given } was given.
must-be-of-type =
    `{ $name }` must be { $kind ->
       *[int] a whole number
        [float] a number
        [finite] a finite number
        [bool] true or false
        [string] a text
        [list] a list, its parts with commas between
        [dict] a JSON object
        [model] a JSON object
    }; { $given } was given.
wrong-otherwise = `{ $name }`: { $why }; { $given } was given.

## app/api/endpoints
measurements-in-time = No answer within { $seconds } s, but { $n } of { $of } measurements are done. Ask again soon.
no-such-scene = `scene` must be less than { $limit }; { $given } was given.
zoom-too-large = `zoom` may have { $limit } bytes as JSON; this one has { $given }.
no-such-talk = There is no talk { QUOTED($talk) }.
no-page-of-explore = { $path } is not a page: choose one from Explore.
no-such-choice = `choice` must be at most { $limit }; { $given } was given.
too-many-votes-for-now = { too-many-votes }: try again in a while.
too-many-votes = Too many votes are stored already
page-asks-nothing = The page { QUOTED($page) } asks no question: use another, for example norms.

## app/compute
ray-is-starting-at = Ray is starting at { $address }, which takes about a minute.
ray-is-starting = Ray is starting, which takes about a minute.
too-many-questions-of-yours = { $n } of your questions are waiting. Wait for them first.
questions-ahead =
    { $n ->
        [one] { $n } question is ahead
       *[other] { $n } questions are ahead
    }; yours would take about { DECIMALS($seconds, most: 1) } s, more than { $most } s.
no-answer-in-time = { in-time }.
in-time = There was no answer within { $seconds } s
waited-most-of-it = { in-time }, { DECIMALS($waited, most: 1) } s of them in the queue. Ask the same again.
goes-on = { in-time }. The computation continues; ask the same again in a while.
goes-on-from = { in-time }. The computation continues ({ DECIMALS($done, most: 0) }% done); ask the same again in a while.
takes-too-long = This takes longer than { $seconds } s to compute.
too-many-computations = { $n } long computations are running, the maximum. Try again later.
process-ended = The computing process ended during this question; a new one is starting.
model-is-loading = The model needs about { DECIMALS($seconds, most: 0) } s more to load.
too-many-streams =
    No more streams { $share ->
       *[all] can
        [address] from your address can
    } be open now; the limit is { $most } in all.
server-is-stopping = The server is stopping.
too-many-trainings = One training is running and { $n } are waiting; the limit is { $most }.
too-many-trainings-of-yours = You already have { $most } trainings running or waiting, the maximum.
too-many-trainings-of-your-address = Your address has too many trainings running or waiting.
no-room-for-a-step = The disk is full in { $folder }. Make room; training continues after step { $step }.
steps-not-written = Training steps can’t be written to { $folder }. Set VITRINE_RUNS to another folder.
network-diverged = A network diverged: its loss is not a number. Lower the peak rate, use fewer layers or a norm.
training-process-ended = The training process ended. Ask again to continue after its last step.
answer-too-large = The answer may take { DECIMALS($size, most: 1) } MB; the limit is { DECIMALS($most, most: 1) } MB.

## app/http
method-not-allowed = { $method } is not allowed here; { $allowed } are.
of-the-library = { $detail }.
nothing-there =
    There is nothing at { $path }.{ $n ->
        [0] { "" }
       *[one] { " " }Did you mean { $near }?
        [other] { " " }Did you mean { $near }?
    }
two-lengths = Send either Content-Length or Transfer-Encoding, not both.
too-many-chunks = The body has more than { $most } chunks. Send larger ones.
connections-of-your-address = Your address already has { $n } open connections. Close some first.
connections-open = The server already has { $n } open connections. Try again later.
request-too-slow =
    { $part ->
       *[head] The request’s headers did not arrive within { $seconds } s.
        [body] The request’s body did not arrive within { $seconds } s.
    }
head-too-large = Address and headers may have at most { $most } bytes together.
no-request-of-http = This is not an HTTP request.
address-without-password = Use this server’s full address, which begins with a password.
nothing = nothing
host-not-known = This server does not answer to { $given }. Add the name to VITRINE_HOSTS.
read-by-another-site = Other sites can’t read this API unless VITRINE_EMBED names their origin.
sent-by-another-site = { $method } is not accepted from other sites.
body-too-large = The body has { $bytes } bytes; the limit is { $most }.

## app/lecture
votes-are-lost = Votes can’t be saved in { $folder }: they are lost if the server stops.
another-server-writes = Another server is using the same folder.
nothing-written = { $folder } can’t be written to: { INSIDE($why) }. Make room there.
too-many-rooms-of-yours = You already have { $n } open rooms. Close one first.
too-many-rooms-of-your-address = Your address already uses { $n } rooms, the maximum.
too-many-rooms = All { $n } rooms are in use. Try again later.
no-such-room = There is no room { QUOTED($room) }. Rooms close { $hours } hours after their lecturer last used them.
not-the-token = The token is wrong: only the room’s lecturer has it.
too-many-lead = This room is already led from { $most } windows, the maximum.
you-follow-too-many = You already follow rooms in { $most } windows. Close one first.
too-many-follow =
    { $n } windows { $share ->
       *[all] follow
        [address] from your address follow
    } rooms here, the maximum. Close one first.
room-has-ended = The room { $room } has ended.
no-question-open = No question is open now. Wait for the next one.
choices-there-are = There are { $most } choices, counted from 0.
too-many-votes-in-a-round = { too-many-votes }.
one-after-another = { SPACED($steps) }
number-misspelt = { $word } has no number at { $place }; did you mean { $near }?
no-number-at = { $word } has no number at { $place }.
choices-without-question = it has choices but no question
number-of-choices = a question has 2 to { $most } choices
choices-the-same = two of its choices are the same
right-is-no-choice = the right answer { QUOTED($right) } is not one of its choices
signs-of-a-file-name = its file name may only contain a to z, 0 to 9, - and _
minutes-do-not-add-up = the scenes take { $scenes } minutes, but the talk says { $talk }
talk-not-read = { $file } cannot be read: { $why }.
talk-too-large = { $file } has { $n } bytes; a talk may have { $most }.
talk-not-utf-8 = { $file } is not UTF-8: save it as UTF-8.
talk-not-toml = { $file } is not TOML: { $why }.
talk-with-id = { $file }: leave out `id`. A talk is named after its file.
did-you-mean = did you mean { $known }?
keys-there-are = its keys are { $known }.
no-key = is not one of its keys; { $why }
key-is-missing = is missing.
wrong-in-talk =
    { $file }: { $scene ->
        [0] { "" }
        [one] scene { $scene }
       *[other] scene { $scene }
    }{ $place }: { $why }
wrong-as-a-whole = { $file }: { $why }
is-a-list = is a list: of tables, each headed [[scene]], or of texts.
of-another-form =
    { $value } is not { $form ->
       *[line] one line of text
        [address] a path without server name, blank or #, for example /attention?layer=2&one=map
        [place] an API endpoint with its query, # and a finding or JSON pointer, for example kv-cache#saved
    }.

## app/schema
no-json-number = { $name } is not a JSON number
json-of-too-many-values = The JSON holds more than { $limit } values.
json-too-deep = The JSON is nested more than { $limit } levels deep.
half-a-character-in-a-name = A field name contains an invalid character (half a surrogate pair).
given-several-times = `{ $name }` is given { $n } times; give it once.
narrow-names = Ask only for the tensors you need in `names`.
narrow-fields = Ask only for the fields you need in `fields`.
narrow-layer = Ask for one `layer`.
narrow-head = Ask for one `head`.
narrow-step = Ask for one `step`.
narrow-full = Leave out `full`: it sends the whole vocabulary.
narrow-lens = Leave out `lens`.
narrow-encoding = Use `encoding=base64`: it takes half as many bytes.

## app/worker
edits-too-expensive =
    These edits would cost about { NUMBER($price, most: 3) } { $code ->
       *[too_much_work] s on one core
        [too_much_memory] MB of memory
    }; the limit is { NUMBER($most, most: 3) }. Use fewer edits, fewer activations in `at`, or a shorter input.
