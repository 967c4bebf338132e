### What the server says where it has no answer: titles, details and hints of problems.
title-bad_request = The request is not valid HTTP
title-host = The server is not called by this name
title-origin = The request comes from another site
title-token = Only the lecturer of a room leads it
title-unknown = There is nothing of this name
title-method = The method is not allowed here
title-slow = The request took too long to arrive
title-too_large = The body is too large
title-media_type = The body is not JSON
title-invalid = The question cannot be answered as it stands
title-too_many = Too many of one's own at once
title-head_too_large = The address and headers are too long
title-failure = The server failed
title-busy = The server is busy
title-warming = The model is warming up
title-too_slow = The answer takes longer than the deadline
title-full = The disk is full

## app
fault-of-the-server = This is a fault of the server, written down in its log as { $id }.
too-much-on-its-way-to-you = { $bytes } bytes of large answers are on their way to your address. Take them first.
too-much-on-its-way = Too many large answers are on their way to clients.

## app/api
training-not-begun = This training was not begun. POST the same fields to begin it.
client-has-left = The client has left.
too-much-work =
    The answer would cost one core about { NUMBER($seconds, most: 3) } s, and it may cost { $most } s. { $hint }{ $trains ->
       *[False] { "" }
        [True] { " " }As an event stream it is a training, which may.
    }
ask-with = Ask with `{ $name }={ $choice }`.
no-smaller-question-fits = No smaller question fits: the server's limit `work_seconds` is too low for this one.
lower-it = Lower `{ $name }`, which is { $value }.
half-the-work = { $how } That is at most half the work.
leave-out = Leave out `{ $name }`.
shorten-to = Shorten `{ $name }` from { $n } characters to { $to } or fewer.
lower-the-largest = Lower the largest of `{ $name }` from { $value } to { $to } or less.
lower-to = Lower `{ $name }` from { $value } to { $to } or less.
name-numbers = Name 1 to { $most } numbers, as in decoder.0.attention.q-1-3-5*encoder.norm.out-3-0.
length-of-a-trail = The trail has { $n } numbers. { name-numbers }
too-many-streams-of-yours = You have { $n } streams open, as many as it may.
fields-in-the-address-of-a-post = A POST carries its fields in its body: leave them out of the address.
in-the-path-already = `{ $name }` is in the path already: leave it out of the question.
address-not-utf-8 = The address is not UTF-8: encode it as UTF-8.
body-compressed = The body comes with Content-Encoding { $encoding }, which is not read: send it uncompressed, without this header.
body-of-no-type = A POST carries a JSON object as application/json; this one is of no type.
body-of-another-type = A POST carries a JSON object as application/json; this one is { $type }.
body-not-utf-8 = The body is not UTF-8: encode it as UTF-8.
body-no-json = The body is not JSON: { $why }.
body-no-object = The body must be a JSON object of fields.
too-many-fields = More than the { $limit } fields that can be asked here are given: leave some out.
and-more = { $first } And { $n } more.
no-field-within = There is no field `{ $leaf }` in `{ $within }`: leave it out.
no-field-but-near = There is no field `{ $name }` here. The nearest: { $known }.
no-field-here = There is no field `{ $name }` here. There are: { $known }.
field-missing = `{ $name }` is missing: add it to the question.
half-a-character = `{ $name }` holds half of a surrogate pair, which is no character.
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
must-be-one-of = `{ $name }` must be { $limit }; { $given } was given.
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
measurements-in-time = There was no answer within { $seconds } s. { $n } of { $of } measurements are kept; ask the same again in a while.
no-such-scene = `scene` must be less than { $limit }; { $given } was given.
zoom-too-large = `zoom` may have { $limit } bytes as JSON; this one has { $given }.
no-such-talk = There is no talk { QUOTED($talk) }.
no-page-of-explore = { $path } is no page: give one that Explore lists.
no-such-choice = `choice` must be at most { $limit }; { $given } was given.
too-many-votes-for-now = { too-many-votes }: vote again in a while.
too-many-votes = Too many votes are kept already
page-asks-nothing = There is no question on a page { QUOTED($page) }: give the word of a page that asks one, for example norms.

## app/compute
ray-is-starting-at = Ray is starting at { $address }, which takes about a minute.
ray-is-starting = Ray is starting, which takes about a minute.
too-many-questions-of-yours = { $n } questions of yours wait, and others wait beside them.
questions-ahead =
    { $n ->
        [one] { $n } question is ahead
       *[other] { $n } questions are ahead
    }; yours would take about { DECIMALS($seconds, most: 1) } s, more than { $most } s.
no-answer-in-time = { in-time }.
in-time = There was no answer within { $seconds } s
waited-most-of-it = { in-time }: for { DECIMALS($waited, most: 1) } s of them it waited, and now it is computed. Ask the same again.
goes-on = { in-time }. The computation goes on; ask the same again in a while.
goes-on-from = { in-time }. The computation goes on, and { DECIMALS($done, most: 0) } % is done; ask the same again in a while.
takes-too-long = The answer takes longer than { $seconds } s to compute.
too-many-computations = { $n } long computations are under way, as many as may be.
process-ended = The process that computes ended while it worked on this question; a new one is starting.
model-is-loading = The model needs about { DECIMALS($seconds, most: 0) } s more to load.
too-many-streams =
    No more streams { $share ->
       *[all] may
        [address] from your address may
    } be open now; { $most } may in all.
server-is-stopping = The server is stopping.
too-many-trainings = One training runs and { $n } wait; { $most } may.
too-many-trainings-of-yours = { $most } trainings of yours run or wait; { $most } may.
too-many-trainings-of-your-address = No more trainings of your address may run or wait now.
no-room-for-a-step = There is no room for the next step in { $folder }; the training goes on after step { $step }.
steps-not-written = Nothing can be written in { $folder }, where the steps of trainings are kept; VITRINE_RUNS names another folder.
network-diverged = A network has diverged: its loss is no number any more. Choose a smaller peak rate, fewer layers or a norm.
training-process-ended = The process that trains has ended. Asked again, it goes on after its last step.
answer-too-large = The answer may take { DECIMALS($size, most: 1) } MB; at most { DECIMALS($most, most: 1) } MB are sent.

## app/http
method-not-allowed = { $method } is not allowed here; { $allowed } are.
of-the-library = { $detail }.
nothing-there =
    There is nothing at { $path }.{ $n ->
        [0] { "" }
       *[one] { " " }The nearest: { $near }.
        [other] { " " }The nearest: { $near }.
    }
two-lengths = Content-Length and Transfer-Encoding came together; send one of them.
too-many-chunks = The body of a request may come in { $most } chunks; send larger ones.
connections-of-your-address = Your address has { $n } connections open already.
connections-open = There are { $n } connections open already.
request-too-slow =
    { $part ->
       *[head] The head of the request did not arrive within { $seconds } s.
        [body] The body of the request did not arrive within { $seconds } s.
    }
head-too-large = The address and headers may have { $most } bytes together.
no-request-of-http = The bytes received are not an HTTP request.
address-without-password = This server answers only at its whole address, which begins with a password.
nothing = nothing
host-not-known = The Host header names { $given }. VITRINE_HOSTS adds a name to those the server answers to.
read-by-another-site = The API answers this server's own pages and programs, not other sites. VITRINE_EMBED names the origins that may read it.
sent-by-another-site = { $method } is only accepted from this server's own pages and from programs, not from other sites.
body-too-large = The body has { $bytes } bytes; at most { $most } are read.

## app/lecture
votes-are-lost = Votes are lost if the server stops: nothing can be kept in { $folder }.
another-server-writes = Another server writes into the same folder.
nothing-written = Nothing can be written into { $folder }: { INSIDE($why) }. Make room there.
too-many-rooms-of-yours = You have { $n } rooms open in windows. Close one first.
too-many-rooms-of-your-address = Your address has { $n } rooms in use; as many may be.
too-many-rooms = { $n } rooms are open and in use; as many may be.
no-such-room = There is no room { QUOTED($room) }. A room ends { $hours } hours after its lecturer used it last.
not-the-token = This is not the token of the room: only its lecturer has it.
too-many-lead = This room is led in { $most } windows, as many as may.
you-follow-too-many = You follow rooms in { $most } windows, as many as it may.
too-many-follow =
    { $n } windows { $share ->
       *[all] follow
        [address] from your address follow
    } rooms here, as many as may.
room-has-ended = The room { $room } has ended.
no-question-open = No question is open now: wait for the next one.
choices-there-are = There are { $most } choices, counted from 0.
too-many-votes-in-a-round = { too-many-votes }.
one-after-another = { SPACED($steps) }
number-misspelt = { $word } has no number at { $place }; did you mean { $near }?
no-number-at = { $word } has no number at { $place }.
choices-without-question = it has choices and no question
number-of-choices = a question has 2 to { $most } choices
choices-the-same = two of its choices are the same
right-is-no-choice = what is right, { QUOTED($right) }, is none of its choices
signs-of-a-file-name = the name of the file has other signs than a to z, 0 to 9, - and _
minutes-do-not-add-up = the scenes take { $scenes } minutes and the talk { $talk }
talk-not-read = { $file } cannot be read: { $why }.
talk-too-large = { $file } has { $n } bytes; a talk has at most { $most }.
talk-not-utf-8 = { $file } is not UTF-8: save it as UTF-8.
talk-not-toml = { $file } is not TOML: { $why }.
talk-with-id = { $file }: a talk is called after its file; leave `id` out.
did-you-mean = did you mean { $known }?
keys-there-are = its keys are { $known }.
no-key = is no key of it; { $why }
key-is-missing = is missing.
wrong-in-talk = { $file }: { $place }: { $why }
wrong-as-a-whole = { $file }: { $why }
is-a-list = is a list: of tables, each headed [[scene]], or of texts.
of-another-form =
    { $value } is not { $form ->
       *[line] one line of text
        [address] an address from its first / on, without the name of the server, a blank or #, as /attention?layer=2&one=map is
        [place] a word of the API with its question, then # and the name of a finding or a JSON pointer, as kv-cache#saved is
    }.

## app/schema
no-json-number = { $name } is not a JSON number
json-of-too-many-values = The JSON holds more than { $limit } values.
json-too-deep = The JSON is nested more than { $limit } levels deep.
half-a-character-in-a-name = The name of a field holds half of a surrogate pair, which is no character.
given-several-times = `{ $name }` is given { $n } times; each field is given once.
narrow-names = Name the tensors that you need in `names`.
narrow-fields = Name the fields that you need in `fields`.
narrow-layer = Ask for one `layer`.
narrow-head = Ask for one `head`.
narrow-step = Ask for one `step`.
narrow-full = Leave out `full`, which asks for the whole vocabulary.
narrow-lens = Leave out `lens`.
narrow-encoding = Ask with `encoding=base64`, which takes half as many bytes.

## app/worker
edits-too-expensive =
    The edits would cost about { NUMBER($price, most: 3) } { $code ->
       *[too_much_work] s of one core
        [too_much_memory] MB of memory
    }, and they may cost { NUMBER($most, most: 3) }: make fewer of them, name fewer activations in `at` or fewer inputs in `from`, or give a shorter input.
